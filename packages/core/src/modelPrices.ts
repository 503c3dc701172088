import type { Fault, Parsed } from "./fault.js";
import { isRecord } from "./isRecord.js";
import type { NanoUsd } from "./nanoUsd.js";
import { parseUsd } from "./parseUsd.js";

/** What a model's tokens cost: each in whole nano-dollars per million. */
export interface ModelPrices {
  readonly input: NanoUsd;
  readonly cachedInput: NanoUsd;
  readonly cacheWrite: NanoUsd;
  readonly output: NanoUsd;
  readonly reasoning: NanoUsd;
}

/**
 * Reads prices as providers publish them, in USD per million tokens. Cached input and cache writes cost what input does, and reasoning what output
 * does, unless said otherwise. All faults are listed at once; members it does not know are dropped.
 *
 * @example
 * parseModelPrices({ input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 });
 */
export function parseModelPrices(input: unknown): Parsed<ModelPrices> {
  if (!isRecord(input))
    return {
      ok: false,
      faults: [{ path: "", code: "not-an-object", message: "The prices must be an object." }],
    };
  const faults: Fault[] = [];
  const read = (name: keyof ModelPrices): NanoUsd => {
    const parsed = parseUsd(input[name], name);
    if (parsed.ok) return parsed.value;
    faults.push(...parsed.faults);
    return 0;
  };
  const readOr = (name: keyof ModelPrices, otherwise: NanoUsd): NanoUsd =>
    input[name] === undefined ? otherwise : read(name);
  const fresh = read("input");
  const output = read("output");
  const prices: ModelPrices = {
    input: fresh,
    cachedInput: readOr("cachedInput", fresh),
    cacheWrite: readOr("cacheWrite", fresh),
    output,
    reasoning: readOr("reasoning", output),
  };
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: Object.freeze(prices) };
}
