import type { DimensionSpec, ProviderReading } from "@quota/core";
import { InvalidInputError, type Logger } from "@quota/engine";
import { describe, expect, it } from "vitest";
import { engineOver, START } from "./engineOver.js";

const FIVE_HOURS = 5 * 3_600_000;

const SEAT: readonly DimensionSpec[] = [{ unit: "percent", window: "5h", limit: 100 }];

function reading(percent: number, more: Partial<ProviderReading> = {}): ProviderReading {
  return {
    ...{ provider: "codex", unit: "percent", window: "5h", source: "test" },
    utilization: percent / 100,
    resetsAt: START + FIVE_HOURS,
    receivedAt: START,
    ...more,
  };
}

async function onSeat(options: Parameters<typeof engineOver>[0] = {}) {
  const warned: unknown[] = [];
  const logger = { warn: (...said: unknown[]) => void warned.push(said), info: () => undefined } as Logger;
  const over = await engineOver({ dimensions: SEAT, logger, ...options });
  const parts = async (): Promise<Readonly<Record<string, number>>> => {
    const { perKey, outside } = await over.dimension();
    return Object.fromEntries([
      ...perKey.map(({ apiKeyId, consumed }) => [apiKeyId, consumed / 1e6] as const),
      ["outside", outside / 1e6],
    ]);
  };
  return { ...over, parts, warned };
}

describe("what an open request has used so far", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("The meter is broken.");
      },
    ],
    ["is no amount", () => ({ tokens: NaN })],
  ])("keeps no reading from being counted where it %s", async (_, producedSoFar) => {
    const { engine, admit, spend, parts, time, warned } = await onSeat();
    const { lease } = await admit("alice");
    engine.follow(lease!, producedSoFar);
    await engine.observe("seat", [reading(0)]);
    await spend("bob", { tokens: 1000 });
    for (const percent of [10, 20]) {
      time.now += 1000;
      await engine.observe("seat", [reading(percent, { receivedAt: time.now })]);
    }
    expect(await parts()).toEqual({ alice: 0, bob: 10, carol: 0, outside: 10 });
    expect(engine.status().storeFailure).toBeUndefined();
    expect(warned).toHaveLength(1);
  });

  it.each([
    ["in the same window", 10, 18, { alice: 10, bob: 8, carol: 0, outside: 0 }],
    ["in the next one", FIVE_HOURS, 8, { alice: 0, bob: 8, carol: 0, outside: 0 }],
  ])("is not taken back from others when the request is given up %s", async (_, later, percent, expected) => {
    const { engine, admit, spend, parts, time } = await onSeat();
    await engine.observe("seat", [reading(0)]);
    const { lease } = await admit("alice");
    engine.follow(lease!, () => ({ tokens: 50_000 }));
    time.now += 1000;
    await engine.observe("seat", [reading(10, { receivedAt: time.now })]);
    time.now += later;
    await engine.release(lease!);
    await spend("bob", { tokens: 40_000 });
    const resetsAt = later < FIVE_HOURS ? START + FIVE_HOURS : START + 2 * FIVE_HOURS;
    await engine.observe("seat", [reading(percent, { receivedAt: time.now, resetsAt })]);
    expect(await parts()).toEqual(expected);
  });
});

describe("readings that lie", () => {
  it("in the future do not keep out what comes after", async () => {
    const { engine, dimension, time } = await onSeat();
    await engine.observe("seat", [reading(10, { receivedAt: 1e15 })]);
    time.now += 60_000;
    await engine.observe("seat", [reading(50, { receivedAt: time.now })]);
    expect(await dimension()).toMatchObject({ globalUsedPercent: 0.5 });
    expect(engine.signalsOf("seat")).toMatchObject([{ reading: { utilization: 0.5 } }]);
  });

  it("of a reset that is years away are believed up to the window's length", async () => {
    const { engine, dimension, time } = await onSeat();
    await engine.observe("seat", [reading(100, { resetsAt: START + 1000 * FIVE_HOURS })]);
    const { opensAt } = await dimension();
    expect(opensAt).toBeGreaterThanOrEqual(START + FIVE_HOURS);
    time.now = START + 2 * FIVE_HOURS;
    expect(await dimension()).toMatchObject({ globalUsedPercent: 0 });
  });

  it("of a limit that cannot be counted are taken without it", async () => {
    const { engine, dimension } = await onSeat();
    await engine.observe("seat", [reading(50, { limit: Number.MAX_SAFE_INTEGER })]);
    expect(await dimension()).toMatchObject({ globalUsedPercent: 0.5 });
    expect(engine.status().storeFailure).toBeUndefined();
  });

  it.each([
    [80, 10],
    [10, 80],
  ])("twice of one window, in one answer, fill it as the fuller one says: %s and %s", async (one, two) => {
    const { engine, dimension } = await onSeat();
    await engine.observe("seat", [reading(one), reading(two)]);
    expect(await dimension()).toMatchObject({ globalUsedPercent: 0.8 });
    expect(engine.signalsOf("seat")).toMatchObject([{ reading: { utilization: 0.8 } }]);
  });

  it("of ever other models do not push out what is known of the account", async () => {
    const { engine, time } = await onSeat();
    for (let answer = 0; answer < 3; answer += 1) {
      time.now += 1000;
      const receivedAt = time.now;
      const models = Array.from({ length: 50 }, (_, i) =>
        reading(1, { receivedAt, scope: `model ${answer} ${i}` }),
      );
      await engine.observe("seat", [reading(answer, { receivedAt }), ...models]);
      const ofAccount = engine.signalsOf("seat").filter((kept) => kept.reading.scope === undefined);
      expect(ofAccount).toMatchObject([{ reading: { utilization: answer / 100 } }]);
    }
  });

  it.each([
    [{ window: { toJSON: null } as never }, "readings[0].window"],
    [{ scope: 10n as never }, "readings[0].scope"],
    [{ provider: undefined as never }, "readings[0].provider"],
    [{ source: 1 as never }, "readings[0].source"],
  ])("in their kind are refused: %o", async (more, path) => {
    const { engine } = await onSeat();
    await expect(engine.observe("seat", [reading(1, more)])).rejects.toThrow(InvalidInputError);
    await expect(engine.observe("seat", [reading(1, more)])).rejects.toThrow(path);
  });
});
