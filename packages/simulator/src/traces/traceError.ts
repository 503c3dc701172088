/** A file that is no trace, or no log: where, what is wrong with it, and what to do about it. */
export class TraceError extends Error {
  /** The path of the file, or what else it was called. */
  readonly source: string;
  /** Counted from 1; undefined where the file as a whole is at fault. */
  readonly line: number | undefined;
  readonly field: string | undefined;
  readonly remedy: string;

  constructor(
    fault: {
      readonly source: string;
      readonly line?: number | undefined;
      readonly field?: string | undefined;
      readonly problem: string;
      readonly remedy: string;
    },
    options?: ErrorOptions,
  ) {
    const { source, line, field, problem, remedy } = fault;
    const place = [source, line === undefined ? [] : `line ${String(line)}`, field ?? []].flat().join(", ");
    super(`${place}: ${problem} ${remedy}`, options);
    this.name = "TraceError";
    this.source = source;
    this.line = line;
    this.field = field;
    this.remedy = remedy;
  }
}
