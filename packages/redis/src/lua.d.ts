/** A script is a file of Lua, imported as its text: by tsup's loader in builds, by a plugin in tests. */
declare module "*.lua" {
  const text: string;
  export default text;
}
