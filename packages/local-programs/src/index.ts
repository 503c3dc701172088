export { CHROMIUM_FLAGS } from "./chromiumFlags.js";
export { ensureProgram } from "./ensureProgram.js";
export type { LocalProgram } from "./ensureProgram.js";
export { findChromium } from "./findChromium.js";
export { programVersion } from "./programVersion.js";
