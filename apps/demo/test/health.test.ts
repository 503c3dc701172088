import { describe, expect, test } from "vitest";
import { createHealthCheck, type HealthParts } from "../server/health.js";

function check(parts: Partial<HealthParts> = {}) {
  return createHealthCheck({
    engine: { status: () => ({ openLeases: 3, remembered: 0, storeFailure: undefined }) },
    touch: () => undefined,
    integrity: () => ({ sound: true }),
    degraded: [],
    isStopping: () => false,
    now: () => 0,
    ...parts,
  });
}

const failing = {
  openLeases: 0,
  remembered: 1,
  storeFailure: { at: 1, cause: new Error("/var/lib/secret/path") },
};

describe("the gateway is", () => {
  test("ok when its store answers and its database is sound", () => {
    expect(check()()).toEqual({ status: 200, body: { status: "ok", reasons: [], openLeases: 3 } });
  });
  test("degraded, and still of use, when it has something else than was asked for", () => {
    expect(check({ degraded: ["No Redis here."] })()).toMatchObject({
      status: 200,
      body: { status: "degraded" },
    });
  });
  test.each<[string, Partial<HealthParts>, string]>([
    [
      "its database does not answer",
      {
        touch: () => {
          throw new Error("/path: locked");
        },
      },
      "does not answer",
    ],
    [
      "its database is damaged",
      { integrity: () => ({ sound: false, problem: "row 1 of /path" }) },
      "damaged",
    ],
    ["its store has failed and not worked since", { engine: { status: () => failing } }, "store fails"],
    ["it is stopping", { isStopping: () => true }, "stopping"],
  ])("of no use when %s, and says so without a path", (_, parts, reason) => {
    const { status, body } = check(parts)();
    expect(status).toBe(503);
    expect(body.reasons.join()).toContain(reason);
    expect(body.reasons.join()).not.toContain("/");
  });
  test("looked at as a whole once a minute, not with every question", () => {
    let now = 0;
    let looks = 0;
    const ask = check({
      now: () => now,
      integrity: () => {
        looks += 1;
        return { sound: true };
      },
    });
    for (now of [0, 1, 59_999]) ask();
    expect(looks).toBe(1);
    now = 60_000;
    ask();
    expect(looks).toBe(2);
  });
});
