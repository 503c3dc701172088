import { InvalidInputError, PoolConflictError, StoreError } from "@quota/engine";

/** Runs work on the file; what fails there is thrown as a {@link StoreError} with the driver's error as its cause, what was refused as it is. */
export async function orStoreError<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof PoolConflictError) throw error;
    throw storeError(file, error);
  }
}

/** SQLite rolls back whatever fails, so nothing was applied. */
export function storeError(file: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(`The database ${file} failed: ${said}.`, { applied: "no", cause });
}
