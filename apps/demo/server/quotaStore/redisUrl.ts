/** What is wrong with the address of a Redis server, as the end of a sentence that begins with its name; undefined for one that can be asked. Never quotes it: it may hold a password. */
export function redisUrlProblem(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return FORM;
  }
  if (url.protocol !== "redis:" && url.protocol !== "rediss:") return FORM;
  if (url.hostname === "") return FORM;
  if (!/^\/?\d*$/u.test(url.pathname))
    return "must end in the number of a database, such as /0, or in nothing.";
  if (url.hash !== "") return "must not have a part after #; write a # in a password as %23.";
  return undefined;
}

const FORM = "must be an address such as redis://localhost:6379 or rediss://user:password@host:6379/0.";
