import { CATALOG } from "@quota/core";
import { SIMULATOR, type Connections } from "../connections.js";
import { SIMULATED_ACCOUNTS } from "../firstStart.js";
import { simulatorAs } from "../simulated.js";
import type { AccountSettings } from "../simulator/accountSettings.js";
import type { AccountName } from "../simulator/accounts.js";
import { hour } from "../simulator/spans.js";

/** An account of the first start that simulated clients may use, since nobody pays for it. */
export interface DrivenAccount {
  readonly connectionId: string;
  /** Whose books it is in, at the simulator. */
  readonly name: AccountName;
  readonly path: string;
  /** What a client asks. */
  readonly body: (stream: boolean) => Readonly<Record<string, unknown>>;
  /** How the account is until somebody drives it, where that differs from the simulator's own idea. */
  readonly keeps: Partial<AccountSettings>;
  /** And what changes when somebody does: a provider that tells nothing of its windows could not tell that it resets them. */
  readonly tells: Partial<AccountSettings>;
}

/**
 * The account behind a connection of the first start, while that connection is still what the first start made. Undefined for all others:
 * simulated clients must never spend what is somebody's.
 */
export function drivenAccount(
  connectionId: string,
  connections: Pick<Connections, "list" | "authOf">,
): DrivenAccount | undefined {
  const connection = connections.list().find(({ id }) => id === connectionId);
  const made = SIMULATED_ACCOUNTS.some(({ connection: { id } }) => id === connectionId);
  const driven = made && connection !== undefined ? DRIVEN.get(connection.baseUrl) : undefined;
  if (driven === undefined) return undefined;
  const auth = connections.authOf(connectionId);
  if (auth.kind !== "value") return undefined;
  const { family, ...rest } = driven;
  return { connectionId, name: { family, credential: auth.value }, ...rest };
}

type Driven = Omit<DrivenAccount, "connectionId" | "name"> & Pick<AccountName, "family">;

const PROMPT = "Say something short.";
/** Of the seat, 40 answers of this length a second use up half of the five hours in less than 20 seconds. */
const ANSWER_TOKENS = 24;

/** By base URL. */
const DRIVEN: ReadonlyMap<string, Driven> = new Map([
  [
    SIMULATOR,
    {
      family: "by-dialect",
      path: "/v1/chat/completions",
      body: (stream) => ({
        model: "kimi-k2-simulated",
        stream,
        max_tokens: ANSWER_TOKENS,
        messages: [{ role: "user", content: PROMPT }],
      }),
      keeps: { windows: hourOfRequests() },
      tells: { shape: "other" },
    },
  ],
  [
    simulatorAs("codex"),
    {
      family: "codex",
      path: "/v1/responses",
      body: (stream) => ({
        model: "gpt-codex-simulated",
        stream,
        max_output_tokens: ANSWER_TOKENS,
        input: PROMPT,
      }),
      keeps: {},
      tells: {},
    },
  ],
]);

/** The hour that the catalog says a Kimi account has. The plan holds everybody to it; the provider only tells it. */
function hourOfRequests(): AccountSettings["windows"] {
  const limit = CATALOG.get("kimi")?.find(({ name }) => name === "requests/hourly")?.limit;
  if (typeof limit !== "number") throw new TypeError("The catalog has no hour of requests for Kimi.");
  return [
    { name: "requests", lengthMs: hour, unit: "requests", limit, starts: "first-use", enforced: false },
  ];
}
