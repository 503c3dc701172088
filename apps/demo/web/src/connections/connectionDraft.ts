import type { Connection } from "../api/useConnections.js";

/** How the gateway proves itself to a provider; `keep`: as it does already, which no answer shows. */
export type AuthKind = "keep" | "none" | "value" | "file" | "command";

/** What a form has of a connection, as it is typed. */
export type ConnectionFields = Readonly<
  Record<
    | "provider"
    | "baseUrl"
    | "models"
    | "dialects"
    | "auth"
    | "header"
    | "value"
    | "path"
    | "command"
    | "ttlS"
    | "timeoutS"
    | "headers",
    string
  >
>;

const NO_AUTH = { header: "", value: "", path: "", command: "", ttlS: "", timeoutS: "", headers: "[]" };

export const NEW_CONNECTION: ConnectionFields = {
  ...{ provider: "", baseUrl: "", models: "", dialects: "" },
  ...NO_AUTH,
  auth: "value",
};

/** Dialects that are the provider's own cannot be told from those that somebody chose: they stay unless others are chosen. */
export function connectionFields({ provider, baseUrl, models, dialects }: Connection): ConnectionFields {
  return {
    provider,
    baseUrl,
    models: (models ?? []).join("\n"),
    dialects: dialects.join(" "),
    ...NO_AUTH,
    auth: "keep",
  };
}

/** What makes the connection that was typed. */
export function newConnectionBody(id: string, typed: ConnectionFields): Readonly<Record<string, unknown>> {
  const { provider, baseUrl, models, dialects } = typed;
  return {
    id: id.trim(),
    provider: provider.trim(),
    baseUrl: baseUrl.trim(),
    ...(linesOf(models).length > 0 && { models: linesOf(models) }),
    ...(dialects !== "" && { dialects: dialects.split(" ") }),
    auth: authBody(typed),
  };
}

/** What is asked for of one that is there: the fields that are not as they were. Credentials are replaced as a whole, or stay. */
export function connectionChange(
  typed: ConnectionFields,
  before: Connection,
): Readonly<Record<string, unknown>> {
  const known = connectionFields(before);
  return {
    ...(typed.provider !== known.provider && { provider: typed.provider.trim() }),
    ...(typed.baseUrl !== known.baseUrl && { baseUrl: typed.baseUrl.trim() }),
    ...(typed.models !== known.models && {
      models: linesOf(typed.models).length === 0 ? null : linesOf(typed.models),
    }),
    ...(typed.dialects !== known.dialects && {
      dialects: typed.dialects === "" ? null : typed.dialects.split(" "),
    }),
    ...(typed.auth !== "keep" && { auth: authBody(typed) }),
  };
}

/** A header beside the secret's, as it is typed. */
export interface TypedHeader {
  readonly name: string;
  readonly value: string;
}

/** The headers of a form, which keeps texts alone. */
export function typedHeaders({ headers }: ConnectionFields): readonly TypedHeader[] {
  return JSON.parse(headers) as readonly TypedHeader[];
}

function authBody(typed: ConnectionFields): Readonly<Record<string, unknown>> {
  const { auth: kind, header, value, path, command, ttlS, timeoutS } = typed;
  const headers = typedHeaders(typed).filter(({ name }) => name.trim() !== "");
  const beside = {
    ...(header.trim() !== "" && { header: header.trim() }),
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map((each) => [each.name.trim(), each.value])),
    }),
  };
  switch (kind) {
    case "value":
      return { kind, value, ...beside };
    case "file":
      return { kind, path: path.trim(), ...beside };
    case "command":
      return {
        kind,
        command: linesOf(command),
        ...(ttlS.trim() !== "" && { ttlS: Number(ttlS) }),
        ...(timeoutS.trim() !== "" && { timeoutS: Number(timeoutS) }),
        ...beside,
      };
    default:
      return { kind: "none" };
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
