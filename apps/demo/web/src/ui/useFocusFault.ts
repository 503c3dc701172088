import { useEffect } from "react";

/** Takes whoever was refused to the first field with a fault, of the dialog in front. */
export function useFocusFault(error: unknown): void {
  useEffect(() => {
    if (error === null || error === undefined) return;
    document.querySelector<HTMLElement>('[role="dialog"] [aria-invalid="true"]')?.focus();
  }, [error]);
}
