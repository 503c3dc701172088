import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { QuotaDatabaseError } from "./quotaDatabaseError.js";

/**
 * Looks, before SQLite does, at whatever it will have to write, so that the message can name the one path that is in the
 * way: the file, its directory (WAL makes two more files there), and a `-wal` or `-shm` that another user has left.
 *
 * @throws {QuotaDatabaseError} `not-found` or `not-writable`.
 */
export function checkWritable(file: string): void {
  const directory = dirname(file);
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    throw new QuotaDatabaseError({
      code: "not-found",
      path: directory,
      problem: `There is no directory ${directory} for the database ${file}.`,
      remedy: "Create it, or name another one.",
    });
  if (existsSync(file) && !statSync(file).isFile())
    throw new QuotaDatabaseError({
      code: "not-writable",
      path: file,
      problem: `${file} is no file, so it cannot be a database.`,
      remedy: "Name the file itself, not a directory.",
    });
  refuseUnwritable(directory, constants.W_OK | constants.X_OK);
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(path)) refuseUnwritable(path, constants.R_OK | constants.W_OK);
}

function refuseUnwritable(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (cause) {
    throw new QuotaDatabaseError({
      code: "not-writable",
      path,
      problem: `${path} cannot be written by this user${who()}.`,
      remedy: "Change its owner or its mode, or name a path that can be written.",
      cause,
    });
  }
}

function who(): string {
  const uid = process.getuid?.();
  return uid === undefined ? "" : ` (uid ${String(uid)})`;
}
