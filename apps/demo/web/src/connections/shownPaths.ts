import type { ConnectionFields } from "./connectionDraft.js";

/** The paths of the fields that a connection's form shows: those of the credentials differ by their kind. */
export function shownPaths({ auth }: ConnectionFields): readonly string[] {
  const always = ["provider", "baseUrl", "models", "dialects"];
  const beside = ["auth.header", "auth.headers"];
  switch (auth) {
    case "value":
      return [...always, ...beside, "auth.value"];
    case "file":
      return [...always, ...beside, "auth.path"];
    case "command":
      return [...always, ...beside, "auth.command", "auth.ttlS", "auth.timeoutS"];
    default:
      return always;
  }
}
