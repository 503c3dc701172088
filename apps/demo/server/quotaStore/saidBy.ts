/** For the log. Not the error itself: a driver's has the command that failed, and that may be the one with the password. */
export function saidBy(error: unknown): { readonly said: string } {
  const said = error instanceof Error ? error.message : String(error);
  return { said: said.replaceAll(/rediss?:\/\/\S+/gu, "(the address of Redis)") };
}
