import { pricedTokens, readProviderSignals, WINDOW_MS, type EpochMs } from "@quota/core";
import type { Lease } from "@quota/engine";
import { createAccount, type Account } from "../server/simulator/account.js";
import { defaultAccountSettings, type AccountSettings } from "../server/simulator/accountSettings.js";
import { codex } from "../server/simulator/families/codex.js";
import { minute } from "../server/simulator/spans.js";
import { noTokens, tokenPrice, type TokenPrices } from "../server/simulator/tokenPrice.js";
import type { DrawnRequest, DrawnTraffic } from "./drawRequests.js";
import { draws } from "./draws.js";
import { engineOnSeat, SEAT } from "./engineOnSeat.js";
import { watchWindows, type WatchedWindow } from "./watchWindows.js";

/** How a traffic is replayed. */
export interface ReplayTerms {
  readonly traffic: DrawnTraffic;
  readonly prices: TokenPrices;
  /** The provider rounds down to whole percents, or to tenths. */
  readonly percentSteps: AccountSettings["percentSteps"];
  /** How full the traffic makes five hours in the mean: 1 is all of them. */
  readonly fill: number;
  /** `burst`: shares refuse nothing. `hard`: the engine holds every key to an equal share. */
  readonly policy: "burst" | "hard";
  /** What the owner uses beside the gateway: so much of five hours, in so many bursts. Default nothing. */
  readonly owner?: { readonly percent: number; readonly bursts: number } | undefined;
  readonly seed: string;
}

export interface Replayed {
  /** Those that are over. */
  readonly windows: readonly WatchedWindow[];
  readonly asked: number;
  /** Refused by the engine, because a share or the whole window was used up. */
  readonly refused: number;
  /** Let pass by the engine, and refused by the provider. */
  readonly refusedByProvider: number;
}

const START: EpochMs = Date.UTC(2026, 0, 5);
const READ_EVERY_MS = minute / 2;
/** A week has room for so many full windows of five hours: it is never what decides. */
const WEEK = 40;

/** A request under way. */
interface Stream {
  readonly request: DrawnRequest;
  readonly lease: Lease;
  /** How much of its output is in the provider's books. */
  written: number;
}

/**
 * Replays a traffic through the engine, by a clock of its own, against an account of the provider simulator. No HTTP: requests go
 * to the engine and into the account's books, and the account's real headers go through `readProviderSignals` into the engine,
 * every 30 seconds. The provider books a prompt as its answer begins, and output as it is written.
 */
export async function replayTraffic(terms: ReplayTerms): Promise<Replayed> {
  const { traffic, prices, policy } = terms;
  const time = { now: START };
  const account = accountFor(terms);
  const { engine, usage } = await engineOnSeat({ keys: traffic.keys, policy, now: () => time.now });
  const watch = watchWindows({ account, usage });
  const streams = new Map<DrawnRequest, Stream>();
  let refused = 0;
  let refusedByProvider = 0;

  const priceOf = ({ model, tokens }: DrawnRequest, output: number): number =>
    pricedTokens({ ...tokens, output }, { ...prices, weight: prices.models[model] ?? 1 });

  function book({ model, key }: DrawnRequest, tokens: DrawnRequest["tokens"], requests: 0 | 1): void {
    account.count({ requests, tokens, model, by: { tag: key } }, time.now);
    watch.demand(key, tokenPrice(tokens, { prices, model }));
  }

  function bookOutput(): void {
    for (const stream of streams.values()) bookOutputOf(stream);
  }

  function bookOutputOf(stream: Stream): void {
    const { beginsAt, endsAt, tokens } = stream.request;
    const part = Math.min(1, (time.now - START - beginsAt) / (endsAt - beginsAt));
    const output = Math.floor(tokens.output * part) - stream.written;
    if (output <= 0) return;
    book(stream.request, { ...noTokens(), output }, 0);
    stream.written += output;
  }

  async function begin(request: DrawnRequest): Promise<void> {
    const { key, model, tokens, typicalOutput } = request;
    const { lease } = await engine.admit({
      ...SEAT,
      apiKeyId: key,
      estimate: {
        tokens: tokens.input + tokens.cachedInput + typicalOutput,
        pricedTokens: priceOf(request, typicalOutput),
      },
    });
    if (lease === undefined) {
      refused += 1;
      return;
    }
    if (account.judge({ model, inputTokens: tokens.input, retryAfterMs: 0 }, time.now) !== undefined) {
      refusedByProvider += 1;
      await engine.release(lease);
      return;
    }
    const stream: Stream = { request, lease, written: 0 };
    streams.set(request, stream);
    book(request, { ...tokens, output: 0 }, 1);
    engine.follow(lease, () => ({ pricedTokens: priceOf(request, stream.written) }));
  }

  async function end(request: DrawnRequest): Promise<void> {
    const stream = streams.get(request);
    if (stream === undefined) return;
    bookOutputOf(stream);
    streams.delete(request);
    const { input, cachedInput, output } = request.tokens;
    await engine.settle(stream.lease, {
      tokens: input + cachedInput + output,
      pricedTokens: priceOf(request, output),
    });
  }

  async function read(): Promise<void> {
    bookOutput();
    const headers = codex.headers(account.view(time.now), undefined);
    const { provider } = SEAT;
    const { readings } = readProviderSignals({ provider, status: 200, headers, receivedAt: time.now });
    await engine.observe(SEAT.connectionId, readings);
    await watch.read(time.now);
  }

  async function ownerUses(): Promise<void> {
    const { percent, bursts } = terms.owner!;
    account.useOutside({ percent: percent / bursts }, time.now);
  }

  /** Everything that happens, in its order; of what happens at once, readings come last. */
  const events = [
    ...traffic.requests.flatMap((request) => [
      { at: request.beginsAt, happens: () => begin(request) },
      { at: request.endsAt, happens: () => end(request) },
    ]),
    ...ownersMoments(terms).map((at) => ({ at, happens: ownerUses })),
    ...momentsEvery(READ_EVERY_MS, traffic.lengthMs).map((at) => ({ at, happens: read })),
  ].sort((one, other) => one.at - other.at);

  for (const { at, happens } of events) {
    for (let ends = watch.nextEnd(time.now); ends <= START + at; ends = watch.nextEnd(time.now)) {
      time.now = ends - 1;
      bookOutput();
      await watch.end(time.now);
      time.now = ends;
    }
    time.now = START + at;
    await happens();
  }
  await engine.close();
  return { windows: watch.over(time.now), asked: traffic.requests.length, refused, refusedByProvider };
}

function accountFor({ traffic, prices, percentSteps, fill }: ReplayTerms): Account {
  const perWindow = traffic.price / (traffic.lengthMs / WINDOW_MS["5h"]);
  const limits = new Map([
    ["5h", perWindow / fill],
    ["weekly", (WEEK * perWindow) / fill],
  ]);
  const windows = codex.windows.map((terms) => ({ ...terms, limit: Math.ceil(limits.get(terms.name)!) }));
  const settings = { ...defaultAccountSettings(), windows, prices, percentSteps };
  return createAccount(() => settings);
}

function ownersMoments({ traffic, owner, seed }: ReplayTerms): readonly number[] {
  if (owner === undefined) return [];
  const { uniform } = draws(`${seed} owner`);
  const apart = WINDOW_MS["5h"] / owner.bursts;
  return momentsEvery(apart, traffic.lengthMs - apart).map((from) => Math.floor(from + apart * uniform()));
}

function momentsEvery(apartMs: number, lengthMs: number): readonly number[] {
  return Array.from({ length: Math.floor(lengthMs / apartMs) + 1 }, (_, i) => i * apartMs);
}
