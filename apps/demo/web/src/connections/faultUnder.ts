import { isUnderPath } from "../api/isUnderPath.js";

/** The faults of a field that is a list: of itself and of what is in it. Undefined: none. */
export function faultUnder(faults: ReadonlyMap<string, string>, field: string): string | undefined {
  const found = [...faults].filter(([path]) => isUnderPath(path, field));
  return found.length === 0 ? undefined : found.map(([, message]) => message).join(" ");
}
