/** A migration is a file of SQL, imported as its text: by tsup's loader in builds, by a plugin in tests. */
declare module "*.sql" {
  const text: string;
  export default text;
}
