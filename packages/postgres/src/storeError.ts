import { StoreError } from "@quota/engine";

/** An error of the driver as a {@link StoreError} whose cause it is. */
export function storeError(
  cause: unknown,
  { place, applied }: { readonly place: string; readonly applied: "no" | "unknown" },
): StoreError {
  if (cause instanceof StoreError) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  const doubt = applied === "unknown" ? "; it may have been written all the same" : "";
  return new StoreError(`The database ${place} failed: ${said}${doubt}.`, { applied, cause });
}
