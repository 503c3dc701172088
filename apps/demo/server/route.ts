/** The wire format of a route. (Codex speaks OpenAI's; only its refusals differ.) */
export type Dialect = "openai" | "anthropic";

export const DIALECTS: readonly Dialect[] = ["openai", "anthropic"];

/** A route that is answered by an upstream. */
export interface Route {
  readonly path: string;
  readonly dialect: Dialect;
  /** Free routes are authenticated and passed on; they cost nothing and are never refused by a pool. */
  readonly counted: boolean;
}

/** What a client may POST. */
export const ROUTES: readonly Route[] = [
  { path: "/v1/chat/completions", dialect: "openai", counted: true },
  { path: "/v1/responses", dialect: "openai", counted: true },
  { path: "/v1/embeddings", dialect: "openai", counted: true },
  { path: "/v1/messages", dialect: "anthropic", counted: true },
  { path: "/v1/messages/count_tokens", dialect: "anthropic", counted: false },
];
