/** One sentence of a contract and how it is checked. `describe…` runs it as a test; it can be run without one, too. */
export interface Check<Subject> {
  /** The sentence, such as `a refusal changes nothing`. */
  readonly name: string;
  /** Rejects when the sentence does not hold. The subject is fresh: nothing was written to it before. */
  readonly run: (subject: Subject) => Promise<void>;
}
