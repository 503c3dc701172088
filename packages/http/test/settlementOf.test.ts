import { settlementOf, type RequestOutcome, type Settlement } from "@quota/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("What a request that ended is charged", () => {
  const estimate = { requests: 1, tokens: 900 };
  const usage = { tokens: 120 };
  const produced = { requests: 1, tokens: 400 };
  const release: Settlement = { action: "release" };
  const settle = (tokens: number): Settlement => ({ action: "settle", actual: { requests: 1, tokens } });
  const known = { usage, produced };
  const unknown = { usage: undefined, produced: undefined };
  const ok: RequestOutcome = { kind: "answered", status: 200 };

  const cases: [
    sentence: string,
    outcome: RequestOutcome,
    seen: Partial<typeof known | typeof unknown>,
    settlement: Settlement,
  ][] = [
    ["a success with usage: the usage", ok, known, settle(120)],
    ["a success without usage: what was produced", ok, { produced }, settle(400)],
    ["a success of which nothing is known: the estimate", ok, unknown, settle(900)],
    ["a usage of 0 is a value", ok, { usage: { tokens: 0 }, produced }, settle(0)],
    [
      "an upstream 429 without usage: nothing, whatever its body's size",
      { kind: "answered", status: 429 },
      { produced },
      release,
    ],
    ["an upstream 400 without usage: nothing", { kind: "answered", status: 400 }, unknown, release],
    ["an upstream 500 without usage: nothing", { kind: "answered", status: 500 }, unknown, release],
    ["a redirect, which is not followed: nothing", { kind: "answered", status: 302 }, unknown, release],
    ["an upstream error that bills: its usage", { kind: "answered", status: 500 }, { usage }, settle(120)],
    [
      "the client left mid-stream: what was produced",
      { kind: "client-left", status: 200 },
      { produced },
      settle(400),
    ],
    [
      "the client left mid-stream after the provider spoke: the usage",
      { kind: "client-left", status: 200 },
      known,
      settle(120),
    ],
    [
      "the client left mid-stream and nothing was seen: the estimate",
      { kind: "client-left", status: 200 },
      unknown,
      settle(900),
    ],
    ["the client left before the upstream answered: nothing", { kind: "client-left" }, unknown, release],
    [
      "the client left while the upstream refused: nothing",
      { kind: "client-left", status: 429 },
      unknown,
      release,
    ],
    ["a reset, a time-out, bad JSON or a throw: nothing", { kind: "failed" }, { produced }, release],
    ["a reset after the provider said what it took: that", { kind: "failed" }, { usage }, settle(120)],
  ];
  test.each(cases)("%s", (_sentence, outcome, seen, settlement) => {
    expect(settlementOf({ outcome, estimate, ...seen })).toEqual(settlement);
  });

  test("a unit that usage says nothing about keeps its estimate", () => {
    const actual = { requests: 1, tokens: 5, usd: 0.02 };
    expect(
      settlementOf({
        outcome: ok,
        estimate: { requests: 1, tokens: 9, usd: 0.02 },
        usage: { tokens: 5, usd: undefined },
      }),
    ).toEqual({ action: "settle", actual });
  });

  test("what the tokens weigh by price is passed on, whoever said it", () => {
    const actual = { requests: 1, tokens: 5, pricedTokens: 17 };
    expect(settlementOf({ outcome: ok, estimate, usage: actual })).toEqual({ action: "settle", actual });
    expect(settlementOf({ outcome: ok, estimate: actual })).toEqual({ action: "settle", actual });
  });

  test("property: what was said is charged to the grain, and nothing is charged for an error that says nothing", () => {
    const amounts = fc.record({
      requests: fc.nat(),
      tokens: fc.nat(),
      usd: fc.double({ min: 0, max: 100, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 599 }),
        amounts,
        amounts,
        amounts,
        (status, estimate, usage, produced) => {
          expect(settlementOf({ outcome: { kind: "answered", status }, estimate, usage, produced })).toEqual({
            action: "settle",
            actual: usage,
          });
          const silent = settlementOf({ outcome: { kind: "answered", status }, estimate, produced });
          expect(silent).toEqual(
            status >= 200 && status < 300 ? { action: "settle", actual: produced } : { action: "release" },
          );
        },
      ),
    );
  });
});
