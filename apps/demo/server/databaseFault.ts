import { StartError } from "./startError.js";

/** An error as the start reports it: what the driver says about the database, and the system about a file, becomes a sentence with a remedy. */
export function databaseFault(error: unknown, dataDir: string): unknown {
  const code = driverCode(error);
  if (code === undefined) return fileFault(error, dataDir);
  const problem = /^SQLITE_(?:CORRUPT|NOTADB)/u.test(code)
    ? "is damaged; stop whatever uses it and restore a backup in its place"
    : `cannot be used (${code}); let this user write it, and leave some room on the disk`;
  return new StartError(`The database in DATA_DIR ${dataDir} ${problem}.`, { cause: error });
}

function fileFault(error: unknown, dataDir: string): unknown {
  const { code, errno, path } = (error ?? {}) as { code?: unknown; errno?: unknown; path?: unknown };
  if (!(error instanceof Error) || typeof code !== "string" || typeof errno !== "number") return error;
  const file = typeof path === "string" ? path : `A file in DATA_DIR ${dataDir}`;
  return new StartError(
    `${file} cannot be used (${code}); let this user own it, and leave some room on the disk.`,
    { cause: error },
  );
}

/** The driver's code, which a store's own error keeps as its cause. */
function driverCode(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { readonly code?: unknown };
    if (typeof code === "string" && code.startsWith("SQLITE_")) return code;
  }
  return undefined;
}
