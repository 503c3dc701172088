/** The code of a sign-in link, `#code=…`; taken out of the address, so that no bookmark and no history keeps it. */
export function takeSignInCode(location: Location, history: History): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null || code === "") return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}
