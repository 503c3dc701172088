import { quotaAdmin, type Connections } from "@quota/express";
import type { PoolJson, UsageJson } from "@quota/http";
import express from "express";
import { listening } from "./listening.js";
import { team } from "./team.js";

/** A real server with the admin router alone, over the team's pool. */
export async function adminApp(
  setup: Parameters<typeof team>[0] & { readonly connections?: () => Connections } = {},
) {
  const house = await team(setup);
  const app = express();
  app.use(
    quotaAdmin({
      ...house,
      connections:
        setup.connections ??
        (() => [
          { id: "seat", provider: "kimi" },
          { id: "other", provider: "codex" },
        ]),
      authorize: ({ headers }) => headers.authorization === "Bearer let-me-in",
    }),
    (_request, response) => void response.status(418).end(),
  );
  const { url } = await listening(app);
  return {
    ...house,
    url,
    /** A request of the admin's; a body that is no text is sent as JSON. */
    async call(
      method: string,
      path: string,
      { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
    ) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: "Bearer let-me-in", "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        json: (text === "" ? undefined : JSON.parse(text)) as Body,
      };
    },
  };
}

/** Any of the router's answers; which it is, the test says. */
type Body = PoolJson &
  UsageJson & {
    readonly title: string;
    readonly errors: readonly { readonly path: string; readonly message: string }[];
    readonly pool: PoolJson;
  };
