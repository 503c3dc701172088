import fc from "fast-check";
import { expect, it } from "vitest";
import type { Lease } from "@quota/engine";
import { engineOver, START } from "./engineOver.js";

const KEYS = ["alice", "bob", "carol", "mallory"] as const;
const WINDOW = 18_000_000;

const happening = fc.oneof(
  fc.record({ does: fc.constant("asks" as const), key: fc.nat(3), tokens: fc.nat(2_000) }),
  fc.record({ does: fc.constant("ends" as const), which: fc.nat(), tokens: fc.nat(4_000) }),
  fc.record({ does: fc.constant("reads" as const), rise: fc.nat(12), foreign: fc.boolean() }),
  fc.record({ does: fc.constant("waits" as const), ms: fc.oneof(fc.nat(60_000), fc.nat(WINDOW / 3)) }),
);

it("of an account that tells percentages only, what an admission takes for spare is never more than is, and what is told of it adds up", async () => {
  let lent = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 10, maxLength: 60 }), async (history) => {
      const world = await engineOver({
        dimensions: [{ unit: "percent", window: "5h", limit: 100 }],
        pool: { lending: "reserve" },
      });
      let percent = 5;
      let resetsAt = START + WINDOW;
      const read = () =>
        world.engine.observe("seat", [
          {
            ...({ provider: "codex", unit: "percent", window: "5h", source: "test" } as const),
            ...{ utilization: percent / 100, resetsAt, receivedAt: world.time.now },
          },
        ]);
      await read();
      const open: Lease[] = [];
      for (const happens of history) {
        world.time.now += 1;
        if (happens.does === "waits") {
          world.time.now += happens.ms;
          while (world.time.now >= resetsAt) [percent, resetsAt] = [0, resetsAt + WINDOW];
        } else if (happens.does === "reads") {
          percent = Math.min(100, percent + happens.rise);
          await read();
        } else if (happens.does === "asks") {
          const { spare } = await world.dimension();
          const { decision, lease } = await world.admit(KEYS[happens.key]!, { tokens: happens.tokens });
          const [answer] = decision.dimensions;
          if (answer?.reserve !== undefined && spare !== undefined) {
            if (spare >= 0) expect(answer.reserve.spare).toBeLessThanOrEqual(spare);
            if (answer.reserve.isExact) expect(answer.reserve.spare).toBe(spare);
            if (lease && answer.cost > answer.reserve.own) lent += 1;
          }
          if (lease) open.push(lease);
        } else if (open.length > 0) {
          const [lease] = open.splice(happens.which % open.length, 1);
          await world.engine.settle(lease!, { tokens: happens.tokens });
        }
        const { used, reserved, spare, limit, perKey } = {
          ...(await world.dimension()),
          limit: 100_000_000,
        };
        expect(used + reserved! + spare!).toBe(limit);
        for (const { reserve, fairShare } of perKey) expect(reserve).toBeLessThanOrEqual(fairShare!);
      }
    }),
    { numRuns: 40 },
  );
  expect(lent).toBeGreaterThan(0);
});
