import { fileURLToPath } from "node:url";

/** Whether this module is the program that Node was started with, and not one that somebody imports. */
export function isMain(moduleUrl: string): boolean {
  return process.argv[1] === fileURLToPath(moduleUrl);
}
