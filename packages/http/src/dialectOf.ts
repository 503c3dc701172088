import { headerMap, headerText, type HeaderMap, type HeadersInput } from "./headers.js";

/** Whose error shapes a client understands. */
export type Dialect = "openai" | "anthropic" | "codex";

/**
 * The dialect of a request, by what the client sent and by its route. `anthropic-version` or a messages route is Anthropic; a Codex route,
 * or a client that says it is Codex (`originator` or the product in `user-agent` begins with `codex`, or it sends an `x-codex-…` header),
 * is Codex; everything else is OpenAI, the official `openai` client on `/v1/responses` too.
 *
 * @example
 * dialectOf({ path: "/v1/responses", headers: { originator: "codex_cli_rs" } }); // "codex"
 */
export function dialectOf({
  path,
  headers,
}: {
  /** The request's path; a query is ignored. */
  readonly path: string;
  readonly headers: HeadersInput;
}): Dialect {
  const sent = headerMap(headers);
  if (sent.has("anthropic-version")) return "anthropic";
  const segments = path.toLowerCase().split(/[?#]/, 1)[0]!.split("/");
  if (segments.includes("codex") || isCodexClient(sent)) return "codex";
  return isMessagesRoute(segments) ? "anthropic" : "openai";
}

function isCodexClient(sent: HeaderMap): boolean {
  const names = [headerText(sent, "originator"), headerText(sent, "user-agent")];
  return (
    names.some((name) => name !== undefined && CODEX_NAME.test(name)) ||
    [...sent.keys()].some((name) => name.startsWith("x-codex-"))
  );
}

/** `codex_cli_rs`, `codex_vscode`, `codex-tui`, `Codex Desktop/1.2`; not `codexample/1.0`. */
const CODEX_NAME = /^\s*codex(?:[_\-\s/]|$)/i;

/** `/v1/messages`, and what is below it: `count_tokens`, `batches`. Not the messages of an OpenAI thread. */
function isMessagesRoute(segments: readonly string[]): boolean {
  const at = segments.indexOf("messages");
  return at > 0 && !segments.slice(0, at).includes("threads");
}
