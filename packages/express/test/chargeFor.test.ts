import type { Amounts } from "@quota/core";
import { createEstimates, type MeasuredAnswer } from "@quota/http";
import { describe, expect, test } from "vitest";
import { chargeFor } from "../src/chargeFor.js";

const usage = { input: 1000, cachedInput: 8000, cacheWrite: 400, output: 500, total: 9900 };
const said = (ended = true): MeasuredAnswer => ({ usage, produced: { bytes: 8, tokens: 2 }, ended });
const silent = (tokens: number): MeasuredAnswer => ({
  usage: undefined,
  produced: { bytes: 4 * tokens, tokens },
  ended: true,
});
const split = createEstimates().typicalEstimate({
  apiKeyId: "alice",
  body: { model: "small-model", messages: [{ role: "user", content: "x".repeat(400) }] },
});

describe("what an answer weighs by price", () => {
  test.each<[string, Amounts | undefined, MeasuredAnswer | undefined, number | undefined]>([
    ["is the four kinds of its usage, each at its price", split, said(), 1000 + 800 + 500 + 3000],
    ["is the same without an estimate", undefined, said(), 1000 + 800 + 500 + 3000],
    [
      "is what was seen of the output, where the answer was cut off after it had said less",
      split,
      { ...said(false), usage: { ...usage, output: 1, total: 9401 }, produced: { bytes: 80, tokens: 20 } },
      1000 + 800 + 500 + 120,
    ],
    [
      "is the estimated prompt and what was produced, where nobody said anything",
      split,
      silent(50),
      split.promptTokens + 300,
    ],
    [
      "is what is held but for what was produced, where the prompt is not known",
      { tokens: 300 },
      silent(50),
      250 + 300,
    ],
    ["is nothing for a usage of nothing", split, { ...said(), usage: noUsage() }, 0],
    ["is not known where nothing was measured", split, undefined, undefined],
  ])("%s", (_sentence, estimate, measured, weight) => {
    const charge = chargeFor({ asked: { estimate }, measured, reported: undefined });
    expect((charge.usage ?? charge.produced)?.pricedTokens).toBe(weight);
  });

  test("is what the handler says, where it says something, and otherwise left to the engine", () => {
    const asked = { estimate: split };
    const told = { tokens: 5, pricedTokens: 7 };
    expect(chargeFor({ asked, measured: said(), reported: told }).usage).toEqual(told);
    expect(chargeFor({ asked, measured: said(), reported: { tokens: 5 } }).usage).toEqual({ tokens: 5 });
  });

  test("is more for a model that costs more, where somebody knows", () => {
    const charge = chargeFor({
      asked: { estimate: split },
      measured: said(),
      reported: undefined,
      tokenPrices: (model) => (model === "small-model" ? { weight: 0.2, output: 5 } : undefined),
    });
    expect(charge.usage?.pricedTokens).toBe((1000 + 800 + 500 + 2500) / 5);
  });
});

function noUsage() {
  return { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, total: 0 };
}
