/** The fields of a form, as they are typed. */
export type Draft = Readonly<Record<string, string>>;

/** A field that somebody else has changed since the form was opened. */
export interface ChangedField {
  readonly field: string;
  readonly from: string;
  readonly to: string;
  /** What was typed into it here, and is kept; undefined: nothing, so the form shows the new value now. */
  readonly typed: string | undefined;
}

/** A form after somebody else's change: what was typed stays, what was not takes the new value, and what is different is told. */
export function rebaseDraft<Fields extends Draft>({
  base,
  draft,
  now,
}: {
  /** The fields as the form was opened. */
  readonly base: Fields;
  readonly draft: Fields;
  /** As they are now. */
  readonly now: Fields;
}): { readonly draft: Fields; readonly changed: readonly ChangedField[] } {
  const isTyped = (field: string): boolean => draft[field] !== base[field];
  const fields = Object.keys(now);
  const kept = fields.map((field) => [field, isTyped(field) ? draft[field] : now[field]]);
  return {
    draft: Object.fromEntries(kept) as Fields,
    changed: fields
      .filter((field) => now[field] !== base[field])
      .map((field) => ({
        field,
        from: base[field]!,
        to: now[field]!,
        typed: isTyped(field) ? draft[field] : undefined,
      })),
  };
}
