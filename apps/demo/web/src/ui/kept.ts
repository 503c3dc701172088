/** What this browser remembers under a name; undefined where it remembers nothing, or may not. */
export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers it, or forgets it; where the browser may not, it holds for this page. */
export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Nothing of the page depends on it.
  }
}
