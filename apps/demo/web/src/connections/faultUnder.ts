/** The faults of a field that is a list: of itself and of what is in it. Undefined: none. */
export function faultUnder(faults: ReadonlyMap<string, string>, path: string): string | undefined {
  const found = [...faults].filter(
    ([place]) => place === path || place.startsWith(`${path}[`) || place.startsWith(`${path}.`),
  );
  return found.length === 0 ? undefined : found.map(([, message]) => message).join(" ");
}
