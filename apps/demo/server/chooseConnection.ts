import type { Connection } from "./connections.js";
import type { Dialect } from "./route.js";

/** Which connection a request goes to, or why none. */
export type ConnectionChoice =
  | { readonly connection: Connection }
  | {
      readonly status: 400 | 404;
      readonly code:
        "unknown_connection" | "model_not_found" | "unsupported_dialect" | "ambiguous_connection";
      readonly message: string;
    };

/**
 * The connection a request names; else the only one that serves its dialect and model and where its key is allocated. Where
 * the key is allocated nowhere, the only one that serves it will do: that pool's own rule for keys without an allocation then decides.
 * Of several, one that lists the model goes before those that serve every model; these go before it where no model is named.
 */
export function chooseConnection({
  connections,
  named,
  dialect,
  model,
  isAllocated,
}: {
  readonly connections: readonly Connection[];
  /** `x-quota-connection`. */
  readonly named: string | undefined;
  /** Undefined: any will do (a list of models). */
  readonly dialect: Dialect | undefined;
  readonly model: string | undefined;
  /** Whether the key has an allocation in the pool of this connection. */
  readonly isAllocated: (connectionId: string) => boolean;
}): ConnectionChoice {
  const speaks = (each: Connection): boolean => dialect === undefined || each.dialects.includes(dialect);
  if (named !== undefined) {
    const connection = connections.find(({ id }) => id === named || id === asUtf8(named));
    if (connection === undefined)
      return {
        status: 404,
        code: "unknown_connection",
        message: `There is no connection ${JSON.stringify(named.slice(0, 100))}; correct x-quota-connection or leave it out.`,
      };
    if (!speaks(connection))
      return {
        status: 400,
        code: "unsupported_dialect",
        message: `The connection ${JSON.stringify(named)} does not serve this route; it speaks ${connection.dialects.join(" and ")}.`,
      };
    return { connection };
  }

  const speaking = connections.filter(speaks);
  if (speaking.length === 0)
    return { status: 404, code: "unsupported_dialect", message: "No connection serves this route." };
  const serving = speaking.filter(
    ({ models }) => model === undefined || models === undefined || models.includes(model),
  );
  if (serving.length === 0)
    return {
      status: 404,
      code: "model_not_found",
      message: `No connection serves the model ${JSON.stringify((model ?? "").slice(0, 200))}.`,
    };
  const allocated = serving.filter(({ id }) => isAllocated(id));
  const candidates = closest(allocated.length > 0 ? allocated : serving, model);
  if (candidates.length > 1)
    return {
      status: 400,
      code: "ambiguous_connection",
      message: `Several connections serve this request: ${candidates.map(({ id }) => id).join(", ")}; name one in the header x-quota-connection.`,
    };
  return { connection: candidates[0]! };
}

function closest(candidates: readonly Connection[], model: string | undefined): readonly Connection[] {
  const close = candidates.filter(({ models }) => (models === undefined) === (model === undefined));
  return close.length > 0 ? close : candidates;
}

/** A header's bytes arrive as one character each; most clients send a text that is not ASCII as UTF-8. */
function asUtf8(header: string): string {
  return Buffer.from(header, "latin1").toString("utf8");
}
