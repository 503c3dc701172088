export { ensureProgram } from "./ensureProgram.js";
export type { LocalProgram } from "./ensureProgram.js";
export { programVersion } from "./programVersion.js";
