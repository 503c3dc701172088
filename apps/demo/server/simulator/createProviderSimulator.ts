import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Account, OutsideUse, TrueWindow } from "./account.js";
import { accountComplaint, type AccountSettings } from "./accountSettings.js";
import { keepAccounts, type AccountName } from "./accounts.js";
import { answerRequest } from "./answerRequest.js";
import { createGate } from "./gate.js";
import { createPromptCache } from "./promptCache.js";
import { applyOptions, defaultSimulatorOptions, type SimulatorOptions } from "./simulatorOptions.js";
import { keepState, type SimulatorState } from "./simulatorState.js";
import type { Provider } from "./visit.js";

export interface ProviderSimulator {
  /** Port 0 (the default) takes a free one. `baseUrl` has no path: OpenAI clients want `${baseUrl}/v1`, Anthropic's the bare one. */
  listen(port?: number, host?: string): Promise<{ readonly baseUrl: string }>;
  /** Ends every open answer and stops listening. */
  close(): Promise<void>;
  /** Changes options for the requests to come. `pause: "none"` also lets the held ones go. Throws a RangeError on a bad value. */
  configure(changes: Partial<SimulatorOptions>): void;
  /** One account of the provider's, to be looked at and turned while it is used. */
  account(name: AccountName): SimulatedAccount;
  state(): SimulatorState;
  /** Resolves with the first state that fits; rejects when the simulator closes before. So tests wait without sleeping. */
  until(fits: (state: SimulatorState) => boolean): Promise<SimulatorState>;
}

/** The provider's side of one account. */
export interface SimulatedAccount {
  /** The truth: exact, unrounded, by a true clock. */
  windows(): readonly TrueWindow[];
  settings(): AccountSettings;
  /** Changes settings of this account alone. Throws a RangeError on a bad value. */
  configure(changes: Partial<AccountSettings>): void;
  /** The owner uses the account himself, outside the gateway: so many tokens of fresh input, or a part of the shortest window that counts tokens. */
  useOutside(use: OutsideUse): void;
  /** The provider gives a window back before its time; without a name, all. */
  resetEarly(window?: string): void;
  /** Another plan: all limits times a factor. What was used stays, so at 2 a percentage halves. */
  changePlan(factor: number): void;
}

/**
 * A model provider to build against: real HTTP, OpenAI's and Anthropic's dialects, JSON and server-sent events, its own hard
 * quota, and every way of failing a gateway must survive. It knows nothing of the gateway.
 *
 * Routes: `POST /v1/chat/completions`, `/v1/responses`, `/v1/embeddings`, `/v1/messages`, `/v1/messages/count_tokens`,
 * `GET /v1/models`. They are all under `/as/FAMILY` too ({@link FamilyName}; `/as/codex/v1/responses`), and there the answers are
 * that provider's: its rate headers, its 429, its usage endpoint (`/as/codex/backend-api/wham/usage`), and accounts of its own with
 * its windows. So one simulator is several providers at once.
 *
 * Options ({@link SimulatorOptions}) hold for all requests. One request may ask for something else, in a header
 * (`x-simulate-failure: reset-mid-stream`), behind its model (`any-model?failure=status-500&latency-ms=50`) or in its last
 * message (`[simulate answer-tokens=500 chunks=10]`); headers outrank the message, which outranks the model:
 *
 * | directive | value |
 * |---|---|
 * | `latency-ms`, `chunk-delay-ms` | milliseconds before the first byte, between two pieces |
 * | `chunks` | pieces of a streamed text, or `by-word` |
 * | `answer-tokens` | exact length of the text (4 bytes a token), or `natural` |
 * | `split-bytes` | writes in pieces of so many bytes, or `whole-events` |
 * | `usage` | `standard`, `in-choice`, `none` |
 * | `failure` | `none`, `status-NNN`, `reset`, `reset-mid-stream`, `end-mid-stream`, `never-answers`, `stalls-mid-stream`, `bad-json`, `cut-in-character`, `error-event`, `usage-missing` |
 * | `retry-after-seconds` | what an injected 429 announces |
 * | `pause` | `before-answer`, `mid-stream`: held until `configure({ pause: "none" })` |
 * | `redirect-to` | answers 302 to this address |
 * | `rate-limit-headers` | `by-dialect`, `none`, or a family |
 * | `tag` | whom the use is booked on in the account's books |
 * | `header-case` | `lower`, `pascal` |
 * | `replay` | name of a recorded exchange (option `replay`) |
 *
 * The same prompt gets the same words, and tokens are counted four bytes each, so every number can be foretold.
 */
export function createProviderSimulator(options: Partial<SimulatorOptions> = {}): ProviderSimulator {
  let current = applyOptions(defaultSimulatorOptions(), options);
  let turns = 0;
  const state = keepState();
  const accounts = keepAccounts(() => current);
  const gate = createGate();
  const closing = new AbortController();

  const provider: Provider = {
    options: () => current,
    nextSerial: () => String((turns += 1)).padStart(8, "0"),
    state,
    accounts,
    gate,
    promptCache: createPromptCache(),
    meetsFailure: spreadEvenly(),
    closing: closing.signal,
  };
  const view = state.view(() => {
    const now = current.clock();
    return accounts.all().map(([name, account]) => ({ ...name, windows: account.truth(now) }));
  });
  const snapshot = (): SimulatorState => ({ ...view });
  // A failure here is a mistake in the simulator itself: the client sees a broken socket, the developer the stack.
  const server = createServer(
    { keepAliveTimeout: 65_000 },
    (request: IncomingMessage, response: ServerResponse) => {
      answerRequest(provider, request, response).catch((error: unknown) => {
        response.destroy();
        queueMicrotask(() => {
          throw error;
        });
      });
    },
  );

  return {
    listen: (port = 0, host = "127.0.0.1") =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.off("error", reject);
          const address = server.address() as AddressInfo;
          const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
          resolve({ baseUrl: `http://${name}:${address.port}` });
        });
      }),
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    configure: (changes) => {
      current = applyOptions(current, changes);
      if (changes.pause === "none") gate.open();
    },
    account: (name) => {
      const account = accounts.of(name);
      const turn = (how: (account: Account, now: number) => void): void => {
        how(account, current.clock());
        state.changed();
      };
      return {
        windows: () => account.truth(current.clock()),
        settings: account.settings,
        configure(changes) {
          const complaint = accountComplaint(changes);
          if (complaint !== undefined) throw new RangeError(`account ${name.credential}: ${complaint}`);
          turn(({ configure }) => configure(changes));
        },
        useOutside: (use) => turn(({ useOutside }, now) => useOutside(use, now)),
        resetEarly: (window) => turn(({ resetEarly }, now) => resetEarly(window, now)),
        changePlan: (factor) => turn(({ changePlan }) => changePlan(factor)),
      };
    },
    state: snapshot,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const closed = (): void => reject(new Error("the simulator closed before the awaited state came"));
        if (closing.signal.aborted) {
          closed();
          return;
        }
        closing.signal.addEventListener("abort", closed);
        state.watch(() => {
          if (!fits(view)) return closing.signal.aborted;
          closing.signal.removeEventListener("abort", closed);
          resolve(snapshot());
          return true;
        });
      }),
  };
}

/** Meets a share of the requests without chance: what has been owed adds up, and at one whole request it is paid. */
function spreadEvenly(): (rate: number) => boolean {
  let owed = 0;
  return (rate) => {
    owed += rate;
    // 0.1 ten times falls a hair short of 1.
    if (owed < 1 - 1e-9) return false;
    owed -= 1;
    return true;
  };
}
