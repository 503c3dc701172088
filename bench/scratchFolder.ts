import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder for files of this bench; it goes when the process does. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "quota-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
