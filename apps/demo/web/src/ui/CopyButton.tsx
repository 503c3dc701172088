import { useState } from "react";
import { Button } from "./Button.js";

/** Puts a text into the clipboard, and says so. */
export function CopyButton({
  text,
  label = "Copy",
  onCopied,
}: {
  readonly text: string;
  readonly label?: string;
  readonly onCopied?: () => void;
}) {
  const [said, setSaid] = useState<string>();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
      onCopied?.();
    } catch {
      setSaid("Select the text and copy it by hand");
    }
  };
  return (
    <>
      <Button onClick={() => void copy()}>{said ?? label}</Button>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}
