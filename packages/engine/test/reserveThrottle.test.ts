import { expect, it } from "vitest";
import type { Decision } from "@quota/core";
import { engineOver, START } from "./engineOver.js";
import { countingStore } from "./reserveHistories.js";

const HOUR = 3_600_000;

const TEN_KEYS = Array.from({ length: 10 }, (_, i) => ({ apiKeyId: `key-${String(i)}`, weight: 10 }));

async function crowd() {
  const store = countingStore();
  const world = await engineOver({
    store,
    dimensions: [{ unit: "tokens", window: "hourly", limit: 1000, anchor: "epoch" }],
    pool: { lending: "reserve", allocations: TEN_KEYS },
  });
  world.time.now = START + 0.5 * HOUR;
  await world.spend("key-0", { tokens: 1 });
  const one = store.steps.at(-2)!;
  return {
    ...world,
    /** How often every reserve has been looked at since it was asked last. */
    looks: () => store.steps.splice(0).filter((size) => size > 3 * one).length,
  };
}

it("a key that hammers with ever another request has every reserve looked at ten times a second at most, and is answered contended beyond that", async () => {
  const world = await crowd();
  world.looks();
  const answers: string[] = [];
  for (let i = 0; i < 300; i += 1) {
    world.time.now += 10;
    const { decision } = await world.admit("key-0", { tokens: 500 + i });
    answers.push(decision.status === "refused" ? decision.reason : decision.status);
  }
  const looks = world.looks();
  // Three seconds have passed.
  expect(looks).toBeGreaterThanOrEqual(30);
  expect(looks).toBeLessThanOrEqual(31);
  expect(answers.filter((answer) => answer === "contended")).toHaveLength(300 - looks);
  expect(answers.filter((answer) => answer === "reserved")).toHaveLength(looks);
  // Nobody else is kept waiting by that.
  expect((await world.admit("key-1", { tokens: 700 })).decision).toMatchObject({ reason: "reserved" });
});

it("a refusal stands for the same request without another look, and names the same moment, until something is given back", async () => {
  const world = await crowd();
  const borrowed = await world.admit("key-1", { tokens: 200 });
  world.looks();
  const first = await world.admit("key-0", { tokens: 340 });
  expect(first.decision).toMatchObject({ status: "refused", reason: "reserved" });
  for (let i = 0; i < 50; i += 1) {
    world.time.now += 10;
    expect((await world.admit("key-0", { tokens: 340 })).decision).toEqual(first.decision);
  }
  expect(world.looks()).toBe(1);
  await world.engine.release(borrowed.lease!);
  const again = await world.admit("key-0", { tokens: 340 });
  expect(again.decision).toMatchObject({ status: "refused", reason: "reserved" });
  expect(world.looks()).toBe(1);
  const told = (decision: Decision) => (decision.status === "refused" ? decision.retryAt! : Infinity);
  expect(told(again.decision)).toBeLessThan(told(first.decision));
});

it("a refusal stands no longer than to the moment that it names", async () => {
  const world = await crowd();
  const { decision } = await world.admit("key-0", { tokens: 330 });
  if (decision.status !== "refused") throw new Error("It was to be refused.");
  const { retryAt } = decision;
  world.looks();
  for (const early of [2, 1]) {
    world.time.now = retryAt! - early;
    expect((await world.admit("key-0", { tokens: 330 })).decision).toMatchObject({
      status: "refused",
      retryAt,
    });
  }
  world.time.now = retryAt!;
  expect((await world.admit("key-0", { tokens: 330 })).decision.status).toBe("allowed");
});

it("a refusal that stands is looked at again when something was given back, even where all of it is held for the key that gave it", async () => {
  const world = await engineOver({
    store: countingStore(),
    leaseMs: HOUR,
    dimensions: [{ unit: "tokens", window: "hourly", limit: 100, anchor: "epoch" }],
    pool: {
      lending: { rule: "reserve", curve: { hold: 4 } },
      allocations: [
        { apiKeyId: "alice", weight: 50 },
        { apiKeyId: "bob", weight: 50 },
      ],
    },
  });
  world.time.now = START + 1000;
  const bobs = await world.admit("bob", { tokens: 40 });
  await world.spend("alice", { tokens: 50 });
  const first = await world.admit("alice", { tokens: 10 });
  expect(first.decision).toMatchObject({ status: "refused", reason: "reserved" });
  await world.engine.release(bobs.lease!);
  world.time.now = START + 0.99 * HOUR;
  expect((await world.admit("alice", { tokens: 10 })).decision.status).toBe("allowed");
});

it("a refusal for what is in flight is looked at again as time passes, since what is held for others shrinks meanwhile", async () => {
  const world = await engineOver({
    store: countingStore(),
    leaseMs: HOUR,
    dimensions: [{ unit: "tokens", window: "hourly", limit: 100, anchor: "epoch" }],
    pool: {
      lending: "reserve",
      allocations: [
        { apiKeyId: "alice", weight: 50 },
        { apiKeyId: "bob", weight: 50 },
      ],
    },
  });
  await world.admit("alice", { tokens: 50 });
  const refused = await world.admit("alice", { tokens: 10 });
  expect(refused.decision).toMatchObject({ status: "refused", reason: "in-flight" });
  world.time.now = START + 0.5 * HOUR;
  expect((await world.admit("alice", { tokens: 10 })).decision.status).toBe("allowed");
});

it("also where as much was used meanwhile by a key whose reserve is never lent", async () => {
  const world = await engineOver({
    store: countingStore(),
    leaseMs: HOUR,
    dimensions: [{ unit: "tokens", window: "hourly", limit: 100, anchor: "epoch" }],
    pool: {
      lending: { rule: "reserve", curve: { hold: 4 } },
      allocations: [
        { apiKeyId: "alice", weight: 20 },
        { apiKeyId: "bob", weight: 40 },
        { apiKeyId: "carol", weight: 40, lend: false },
      ],
    },
  });
  world.time.now = START + 1000;
  const bobs = await world.admit("bob", { tokens: 40 });
  await world.spend("alice", { tokens: 20 });
  const first = await world.admit("alice", { tokens: 10 });
  expect(first.decision).toMatchObject({ status: "refused" });
  await world.engine.release(bobs.lease!);
  await world.spend("carol", { tokens: 40 });
  world.time.now = START + 0.99 * HOUR;
  expect((await world.admit("alice", { tokens: 10 })).decision.status).toBe("allowed");
});
