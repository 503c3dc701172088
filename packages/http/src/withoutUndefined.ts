/** The members of a record that are not undefined, in their order. */
export function withoutUndefined<Members extends object>(record: Members): Known<Members> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as unknown as Known<Members>;
}

/** A member that may be undefined may be missing instead. */
export type Known<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
};
