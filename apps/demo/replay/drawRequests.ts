import { WINDOW_MS } from "@quota/core";
import { minute } from "../server/simulator/spans.js";
import { tokenPrice, type TokenCounts, type TokenPrices } from "../server/simulator/tokenPrice.js";
import { draws, type Draws } from "./draws.js";
import type { Traffic } from "./traffic.js";

/** One request, as it will be if it is let pass. */
export interface DrawnRequest {
  readonly key: string;
  readonly model: string;
  /** Milliseconds from the beginning. */
  readonly beginsAt: number;
  readonly endsAt: number;
  readonly tokens: TokenCounts;
  /** What a gateway would expect before it knows. */
  readonly typicalOutput: number;
}

export interface DrawnTraffic {
  /** In the order in which they begin. */
  readonly requests: readonly DrawnRequest[];
  readonly keys: readonly string[];
  readonly lengthMs: number;
  /** What they weigh together, by price. */
  readonly price: number;
}

/** A dear model and a cheap one. */
export const MODELS = { large: "replay-large", small: "replay-small" } as const;

const SLOT_MS = 10 * minute;
const SHORTEST_MS = 1000;
/** No longer than a hold without renewal: time is not real here, so nothing renews. */
const LONGEST_MS = 9 * minute;

/**
 * Draws the requests of a traffic that is scaled to so many in five hours, over all keys and in the mean: their number in each slot, the gaps
 * between them, and for every key tokens and models of its own kind.
 */
export function drawRequests(
  traffic: Traffic,
  {
    requestsPerWindow,
    prices,
    seed,
  }: { readonly requestsPerWindow: number; readonly prices: TokenPrices; readonly seed: string },
): DrawnTraffic {
  const slots = 1 + traffic.reduce((last, { slot }) => Math.max(last, slot), 0);
  const lengthMs = slots * SLOT_MS;
  const rates = traffic.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
  const perRate = (requestsPerWindow * (lengthMs / WINDOW_MS["5h"])) / rates;
  const keys = [...new Set(traffic.map(({ client }) => client))];
  const drawn = new Map(keys.map((key) => [key, drawsOf(key, seed)] as const));
  const requests = traffic
    .flatMap(({ client, slot, requestsPerSecond, gapCv }) => {
      const { numbers, draw } = drawn.get(client)!;
      const count = Math.floor(requestsPerSecond * perRate + numbers.uniform());
      return momentsIn(slot, { count, gapCv }, numbers).map(draw);
    })
    .sort((one, other) => one.beginsAt - other.beginsAt);
  const price = requests.reduce((sum, { tokens, model }) => sum + tokenPrice(tokens, { prices, model }), 0);
  return { requests, keys, lengthMs, price };
}

/** As many moments as were counted, with gaps that vary as they should; whole milliseconds. */
function momentsIn(
  slot: number,
  { count, gapCv }: { readonly count: number; readonly gapCv: number },
  { gap }: Draws,
): readonly number[] {
  const gaps = Array.from({ length: count + 1 }, () => gap(gapCv));
  const whole = gaps.reduce((sum, each) => sum + each, 0);
  let passed = 0;
  return gaps.slice(0, count).map((each) => {
    passed += each;
    return slot * SLOT_MS + Math.floor((passed / whole) * (SLOT_MS - 1));
  });
}

/** Keys differ: some send much and cache it, some have long answers, some take the cheap model. */
function drawsOf(
  key: string,
  seed: string,
): { readonly numbers: Draws; readonly draw: (beginsAt: number) => DrawnRequest } {
  const numbers = draws(`${seed} ${key}`);
  const { uniform, lognormal } = numbers;
  const input = lognormal({ median: 800, sigma: 0.9 });
  const cached = uniform() < 0.25 ? 0 : lognormal({ median: 8000, sigma: 1 });
  const output = lognormal({ median: 300, sigma: 0.8 });
  const onSmall = uniform() < 0.5 ? 0 : uniform();
  const count = (median: number): number => Math.round(lognormal({ median, sigma: 1 }));
  return {
    numbers,
    draw(beginsAt) {
      const model = uniform() < onSmall ? MODELS.small : MODELS.large;
      const tokens = {
        input: count(input),
        cachedInput: count(cached),
        cacheWrite: 0,
        output: count(output),
      };
      const lasts = lognormal({ median: minute / 3, sigma: 1 });
      const endsAt = beginsAt + Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, lasts)));
      return { key, model, beginsAt, endsAt, tokens, typicalOutput: Math.round(output) };
    },
  };
}
