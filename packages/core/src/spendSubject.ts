/** Who money is spent for. */
export type SubjectKind = "key" | "team" | "user" | "organisation" | "project";

/** Every kind, in the order in which budgets are asked. */
export const SUBJECT_KINDS: readonly SubjectKind[] = ["key", "team", "user", "organisation", "project"];

/** One payer of a request. The id is stable: whoever rotates a credential stays the same subject. */
export interface SpendSubject {
  readonly kind: SubjectKind;
  readonly id: string;
}

/**
 * A subject as one text, for stores that need one; different subjects have different texts, and {@link subjectOf} reads it again.
 *
 * @example
 * subjectName({ kind: "key", id: "alice" }); // "key:alice"
 */
export function subjectName({ kind, id }: SpendSubject): string {
  return `${kind}:${id}`;
}

/** The subject that a text of {@link subjectName} names; undefined for any other text. */
export function subjectOf(name: string): SpendSubject | undefined {
  const end = name.indexOf(":");
  const kind = SUBJECT_KINDS.find((each) => each === name.slice(0, Math.max(0, end)));
  const id = name.slice(end + 1);
  return kind === undefined || id === "" ? undefined : { kind, id };
}
