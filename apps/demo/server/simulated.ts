import { SIMULATOR } from "./connections.js";
import { familyPath, isFamilyName, type FamilyName } from "./simulator/families/familyName.js";

/** The base URL of a connection to the built-in simulator that answers as that provider does: `simulator/codex`. */
export function simulatorAs(family: FamilyName): string {
  return `${SIMULATOR}/${family}`;
}

/** Whether the simulator of the process that answers stands behind this base URL. */
export function isSimulated(baseUrl: string): boolean {
  return baseUrl === SIMULATOR || isFamilyName(familyIn(baseUrl));
}

/** The address behind a connection's base URL; undefined where that is a simulator, and none runs here. */
export function addressBehind(baseUrl: string, simulatorUrl: string | undefined): string | undefined {
  if (!isSimulated(baseUrl)) return baseUrl;
  if (simulatorUrl === undefined) return undefined;
  const family = familyIn(baseUrl);
  return isFamilyName(family) ? `${simulatorUrl}${familyPath(family)}/v1` : simulatorUrl;
}

function familyIn(baseUrl: string): string {
  const before = `${SIMULATOR}/`;
  return baseUrl.startsWith(before) ? baseUrl.slice(before.length) : "";
}
