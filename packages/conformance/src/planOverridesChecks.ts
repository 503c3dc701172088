import { parseDimensions, type Dimension, type DimensionSpec } from "@quota/core";
import type { PlanOverrides } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { eventually } from "./eventually.js";
import { HOSTILE_TEXTS } from "./hostileTexts.js";

/** Overrides in which nothing is stored yet. Made anew for every check. */
export interface PlanOverridesUnderTest {
  readonly overrides: PlanOverrides;
  /** Opens a second handle on the same data, as another process would. Leave it out where there is none. */
  readonly another?: () => Promise<PlanOverrides>;
  /** Takes away what was opened, second handles too. */
  readonly dispose: () => Promise<void>;
}

const hourly = plan({ unit: "requests", window: "hourly", limit: 1500 });
/** Every member a dimension can have, and limits that a float of 32 bits or a column of 32 bits would spoil. */
const everything = plan(
  { unit: "percent", window: "5h", limit: 33.333333, slots: 5, edge: "full" },
  { unit: "usd", window: "monthly", limit: 1_000_000.000000001, anchor: "epoch" },
  { unit: "tokens", window: "weekly", limit: Number.MAX_SAFE_INTEGER, anchor: { calendar: "Asia/Tokyo" } },
  { unit: "tokens", window: "daily", limit: "unknown", anchor: "first-use" },
);

/** The contract of stored plan overrides, by example. */
export const planOverridesChecks: readonly Check<PlanOverridesUnderTest>[] = [
  {
    name: "a connection without an override has none",
    async run({ overrides }) {
      expect(await overrides.get("kimi-demo")).toBe(undefined);
      expect(await overrides.list()).toEqual(new Map());
      expect(await overrides.delete("kimi-demo")).toBe(false);
    },
  },
  {
    name: "what is set is what is read, member by member and in the same order",
    async run({ overrides }) {
      await overrides.set("kimi-demo", everything);
      expect(await overrides.get("kimi-demo")).toEqual(everything);
      expect(await overrides.list()).toEqual(new Map([["kimi-demo", everything]]));
    },
  },
  {
    name: "setting again replaces the whole plan",
    async run({ overrides }) {
      await overrides.set("kimi-demo", everything);
      await overrides.set("kimi-demo", hourly);
      expect(await overrides.get("kimi-demo")).toEqual(hourly);
    },
  },
  {
    name: "a plan without dimensions is an override, not the lack of one",
    async run({ overrides }) {
      await overrides.set("kimi-demo", []);
      expect(await overrides.get("kimi-demo")).toEqual([]);
      expect(await overrides.list()).toEqual(new Map([["kimi-demo", []]]));
      expect(await overrides.delete("kimi-demo")).toBe(true);
      expect(await overrides.get("kimi-demo")).toBe(undefined);
    },
  },
  {
    name: "deleting an override leaves the others",
    async run({ overrides }) {
      await overrides.set("one", hourly);
      await overrides.set("two", everything);
      expect(await overrides.delete("one")).toBe(true);
      expect(await overrides.delete("one")).toBe(false);
      expect(await overrides.list()).toEqual(new Map([["two", everything]]));
    },
  },
  {
    name: "connections are apart, whatever their ids are made of",
    async run({ overrides }) {
      const ids = HOSTILE_TEXTS.filter((text) => text.length <= 256);
      const planOf = (i: number): readonly Dimension[] =>
        plan({ unit: "requests", window: "daily", limit: i + 1 });
      for (const [i, id] of ids.entries()) await overrides.set(id, planOf(i));
      for (const [i, id] of ids.entries()) expect(await overrides.get(id)).toEqual(planOf(i));
      expect(await overrides.list()).toEqual(new Map(ids.map((id, i) => [id, planOf(i)])));
    },
  },
  {
    name: "what was listed does not change behind the reader's back",
    async run({ overrides }) {
      await overrides.set("one", hourly);
      const listed = await overrides.list();
      await overrides.set("two", hourly);
      await overrides.delete("one");
      expect(listed).toEqual(new Map([["one", hourly]]));
    },
  },
  {
    name: "a change made over one handle reaches the other",
    async run({ overrides, another }) {
      const neighbour = another ? await another() : overrides;
      expect(await neighbour.get("kimi-demo")).toBe(undefined);
      await overrides.set("kimi-demo", hourly);
      await eventually(async () => expect(await neighbour.get("kimi-demo")).toEqual(hourly));
      await overrides.delete("kimi-demo");
      await eventually(async () => expect(await neighbour.get("kimi-demo")).toBe(undefined));
    },
  },
];

function plan(...specs: readonly DimensionSpec[]): readonly Dimension[] {
  const parsed = parseDimensions(specs);
  if (!parsed.ok) throw new Error(parsed.faults.map((fault) => fault.message).join(" "));
  return parsed.value;
}
