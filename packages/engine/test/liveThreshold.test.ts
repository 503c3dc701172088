import { createMemoryUsageStore, type UsageStore } from "@quota/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engineOver } from "./engineOver.js";

/** An engine whose threshold is whatever `set` said last; its pool is alice, bob and carol's, of 100 requests an hour. */
async function engineWithThreshold(first: number, more: { readonly store?: UsageStore } = {}) {
  let threshold = first;
  const over = await engineOver({ ...more, saturationThreshold: () => threshold });
  return { ...over, set: (next: number) => (threshold = next) };
}

describe("a threshold that is a function", () => {
  test("is in force with the next decision, preview and usage", async () => {
    const { engine, spend, caller, dimension, set } = await engineWithThreshold(1);
    for (let i = 0; i < 60; i += 1) expect(await spend("alice")).toMatchObject({ status: "allowed" });
    expect(await dimension()).toMatchObject({ mode: "generous" });

    set(0.4);
    expect(await dimension()).toMatchObject({ mode: "strict" });
    expect(await engine.preview(caller("alice"))).toMatchObject({ reason: "fair-share" });
    expect(await spend("alice")).toMatchObject({ status: "refused", reason: "fair-share" });
    expect(await spend("bob")).toMatchObject({ status: "allowed" });

    set(0.9);
    expect(await dimension()).toMatchObject({ mode: "generous" });
    expect(await engine.preview(caller("alice"))).toMatchObject({ status: "allowed" });
    expect(await spend("alice")).toMatchObject({ status: "allowed" });
  });

  test("is asked once per decision: one that is decided late goes by what was in force when it was asked", async () => {
    const inner = createMemoryUsageStore();
    let meanwhile = (): void => undefined;
    const store: UsageStore = {
      ...inner,
      transact: async (step) => {
        meanwhile();
        return inner.transact(step);
      },
    };
    const { spend, set } = await engineWithThreshold(1, { store });
    for (let i = 0; i < 60; i += 1) await spend("alice");
    meanwhile = () => void set(0.4);
    expect(await spend("alice")).toMatchObject({ status: "allowed" });
    expect(await spend("alice")).toMatchObject({ status: "refused" });
  });

  test("does not go before a pool's own", async () => {
    const { spend } = await engineOver({ pool: { saturationThreshold: 1 }, saturationThreshold: () => 0 });
    for (let i = 0; i < 60; i += 1) expect(await spend("alice")).toMatchObject({ status: "allowed" });
  });

  test.each([NaN, -0.1, 1.5])("rejects calls where it answers %s", async (none) => {
    const { engine, caller, pool, set } = await engineWithThreshold(0.5);
    set(none);
    const error = { name: "QuotaConfigError", field: "saturationThreshold" };
    await expect(engine.admit(caller("alice"))).rejects.toMatchObject(error);
    await expect(engine.preview(caller("alice"))).rejects.toMatchObject(error);
    await expect(engine.usage(pool.id)).rejects.toMatchObject(error);
    expect(engine.status()).toMatchObject({ openLeases: 0, storeFailure: undefined });
    await expect(engineWithThreshold(none)).rejects.toMatchObject(error);
  });

  test("decides as one that was set from the start would, at every request", async () => {
    const thresholds = fc.array(fc.constantFrom(0, 0.2, 0.5, 0.8, 1), { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(thresholds, async (inForce) => {
        const store = createMemoryUsageStore();
        const changing = await engineWithThreshold(1, { store });
        for (let i = 0; i < 45; i += 1) await changing.spend("alice");
        for (const saturationThreshold of inForce) {
          const fixed = changing.another({ saturationThreshold });
          changing.set(saturationThreshold);
          const expected = await fixed.preview(changing.caller("alice"));
          expect((await changing.spend("alice")).status).toBe(expected.status);
          await changing.spend("bob");
        }
      }),
      { numRuns: 20 },
    );
  });
});
