export { CHROMIUM_FLAGS } from "./chromiumFlags.js";
export { ensureProgram } from "./ensureProgram.js";
export type { LocalProgram } from "./ensureProgram.js";
export { findChromium } from "./findChromium.js";
export { programVersion } from "./programVersion.js";
export { freePort } from "./freePort.js";
export { startGuarded } from "./startGuarded.js";
export type { Guarded, GuardedOptions } from "./startGuarded.js";
