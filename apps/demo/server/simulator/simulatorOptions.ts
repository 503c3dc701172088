import { accountComplaint, type AccountSettings } from "./accountSettings.js";
import { FAMILY_NAMES, isFamilyName, type FamilyName } from "./families/familyName.js";
import type { RecordedExchange } from "./recordedExchange.js";

/** Where an answer breaks. `status-*` answers that status in the dialect's own shape; the others are described at {@link failureKinds}. */
export type FailureKind = (typeof failureKinds)[number];

export const failureKinds = [
  "status-400",
  "status-401",
  "status-403",
  "status-404",
  "status-429",
  "status-500",
  "status-502",
  "status-503",
  "status-529",
  /** The socket is reset before a byte is answered. */
  "reset",
  /** The socket is reset (TCP RST) half-way through the answer. */
  "reset-mid-stream",
  /** The answer ends politely half-way: no last event, no usage. */
  "end-mid-stream",
  /** Nothing is ever answered; the socket stays open until the client gives up or the simulator closes. */
  "never-answers",
  /** Half of the answer, then silence on an open socket. */
  "stalls-mid-stream",
  /** A 200 whose JSON (or whose every second event) does not parse. */
  "bad-json",
  /** The answer ends after the first byte of a character of several bytes. */
  "cut-in-character",
  /** A 200 stream that carries the dialect's error event half-way, as an overloaded provider does. */
  "error-event",
  /** A complete answer that says nothing of usage. */
  "usage-missing",
] as const;

/** The provider's own limit. It is never exceeded: what passes it is answered with 429, so a gateway that overshoots is seen. */
export interface UpstreamQuota {
  readonly unit: "requests" | "tokens";
  /** Length of the window in milliseconds; a credential's window opens with its first request. */
  readonly windowMs: number;
  readonly limit: number;
}

/** Everything that can be turned. Milliseconds, whole tokens, whole bytes; words where a number would need a sentinel. */
export interface SimulatorOptions {
  /** How the provider introduces itself in its answers. */
  readonly name: string;
  /** Varies the answers; the same seed and prompt always give the same text. */
  readonly seed: number;
  /** What GET /v1/models lists. Other models are answered as well. */
  readonly models: readonly string[];
  /** Which upstream credentials are known; others, and none, get 401. `"any"` lets everybody in. */
  readonly credentials: "any" | readonly string[];
  /** Before the first byte of an answer. */
  readonly latencyMs: number;
  /** Between two pieces of a streamed text. */
  readonly chunkDelayMs: number;
  /** Into how many pieces a streamed text falls (at most one per character). */
  readonly chunks: number | "by-word";
  /** Exact length of the text in output tokens (4 bytes each), still cut at the request's own maximum. 1 310 720 make 5 MB. */
  readonly answerTokens: number | "natural";
  /** Writes answers in pieces of so many bytes, so that boundaries fall inside events and characters. */
  readonly splitBytes: number | "whole-events";
  /** Where usage stands: as the dialect says; in `choices[0].usage` of the last chat chunk; nowhere. */
  readonly usage: "standard" | "in-choice" | "none";
  readonly failure: FailureKind | "none";
  /** Share of requests that meet `failure`, spread evenly and without chance: 0.25 is every fourth. */
  readonly failureRate: number;
  /** What an injected 429 announces. */
  readonly retryAfterSeconds: number;
  /** Holds answers until `configure({ pause: "none" })`, so that tests need no sleeps. */
  readonly pause: "none" | "before-answer" | "mid-stream";
  /** Answers every request with a 302 to this address. */
  readonly redirectTo: string;
  /** How limits are spelled for who asks under no family's path. */
  readonly rateLimitHeaders: "by-dialect" | "none" | FamilyName;
  /** Some providers write `X-Codex-…`. */
  readonly headerCase: "lower" | "pascal";
  /** Laid over the headers of every answer; here a test puts a provider's literal header values. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** Of every credential that asks under no family's path. */
  readonly quota: UpstreamQuota | "unlimited";
  /** How the accounts of a family are, where they differ from its defaults; one account's own settings lie over these. */
  readonly families: Readonly<Partial<Record<FamilyName, Partial<AccountSettings>>>>;
  /** Recorded exchanges that are served instead of composed answers, by method and path, the first that fits. */
  readonly replay: readonly RecordedExchange[];
  /** How many of the last requests `state()` shows with their headers. */
  readonly keepRequests: number;
  readonly clock: () => number;
}

/** Lays changes over options. Throws a RangeError that names the option and what it may be; then nothing has changed. */
export function applyOptions(base: SimulatorOptions, changes: Partial<SimulatorOptions>): SimulatorOptions {
  const next = { ...base, ...changes };
  for (const [name, check] of Object.entries(checks)) {
    const complaint = check(next);
    if (complaint !== undefined) throw new RangeError(`simulator option ${name}: ${complaint}`);
  }
  return next;
}

/** A quick, friendly provider without limits. */
export function defaultSimulatorOptions(): SimulatorOptions {
  return {
    name: "the simulated provider",
    seed: 1,
    models: ["kimi-k2-simulated", "gpt-simulated", "claude-simulated", "embedding-simulated"],
    credentials: "any",
    latencyMs: 0,
    chunkDelayMs: 0,
    chunks: "by-word",
    answerTokens: "natural",
    splitBytes: "whole-events",
    usage: "standard",
    failure: "none",
    failureRate: 1,
    retryAfterSeconds: 20,
    pause: "none",
    redirectTo: "none",
    rateLimitHeaders: "by-dialect",
    headerCase: "lower",
    extraHeaders: {},
    quota: "unlimited",
    families: {},
    replay: [],
    keepRequests: 100,
    clock: Date.now,
  };
}

type Check = (options: SimulatorOptions) => string | undefined;

const longestTimer = 2_147_483_647;

const checks: Readonly<Record<string, Check>> = {
  latencyMs: (o) => numberBetween(o.latencyMs, 0, longestTimer),
  chunkDelayMs: (o) => numberBetween(o.chunkDelayMs, 0, longestTimer),
  chunks: (o) => (o.chunks === "by-word" ? undefined : wholeBetween(o.chunks, 1, 1_000_000)),
  answerTokens: (o) =>
    o.answerTokens === "natural" ? undefined : wholeBetween(o.answerTokens, 0, 100_000_000),
  splitBytes: (o) => (o.splitBytes === "whole-events" ? undefined : wholeBetween(o.splitBytes, 1, 1_000_000)),
  usage: (o) => oneOf(o.usage, ["standard", "in-choice", "none"]),
  failure: (o) => oneOf(o.failure, ["none", ...failureKinds]),
  failureRate: (o) => numberBetween(o.failureRate, 0, 1),
  retryAfterSeconds: (o) => wholeBetween(o.retryAfterSeconds, 0, 31_536_000),
  pause: (o) => oneOf(o.pause, ["none", "before-answer", "mid-stream"]),
  redirectTo: (o) =>
    o.redirectTo === "none" || URL.canParse(o.redirectTo) ? undefined : `"none" or an address`,
  rateLimitHeaders: (o) => oneOf(o.rateLimitHeaders, ["by-dialect", "none", ...FAMILY_NAMES]),
  headerCase: (o) => oneOf(o.headerCase, ["lower", "pascal"]),
  quota: (o) =>
    o.quota === "unlimited"
      ? undefined
      : (oneOf(o.quota.unit, ["requests", "tokens"]) ??
        numberBetween(o.quota.windowMs, 1, Number.MAX_SAFE_INTEGER) ??
        wholeBetween(o.quota.limit, 0, Number.MAX_SAFE_INTEGER)),
  families: ({ families }) =>
    Object.entries(families)
      .map(([name, settings]) =>
        isFamilyName(name) ? accountComplaint(settings) : `${name} is none of ${FAMILY_NAMES.join(", ")}`,
      )
      .find((complaint) => complaint !== undefined),
  keepRequests: (o) => wholeBetween(o.keepRequests, 0, 100_000),
};

function numberBetween(value: number, least: number, most: number): string | undefined {
  return value >= least && value <= most ? undefined : `a number from ${least} to ${most}, not ${value}`;
}

function wholeBetween(value: number, least: number, most: number): string | undefined {
  return Number.isInteger(value) ? numberBetween(value, least, most) : `a whole number, not ${value}`;
}

function oneOf(value: string, words: readonly string[]): string | undefined {
  return words.includes(value) ? undefined : `one of ${words.join(", ")}, not ${value}`;
}
