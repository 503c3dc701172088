import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { programVersion } from "./programVersion.js";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of a Chromium that starts: the one `CHROMIUM_PATH` names, else the first on the PATH under one of its names; undefined: there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env["CHROMIUM_PATH"];
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  // Some distributions put a script of that name there which only says where else to get it.
  return [...(named ? [named] : []), ...places].find(
    (path) => isProgram(path) && programVersion(path) !== undefined,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
