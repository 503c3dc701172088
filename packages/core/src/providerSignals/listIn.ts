/** The members of a list in a body; none where it is no list. No provider has more than a hundred limits. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 100) : [];
}
