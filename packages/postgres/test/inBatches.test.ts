import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inBatches } from "../src/inBatches.js";

describe("inBatches", () => {
  test("what is handed in together is done together, what comes meanwhile next, each with its own answer", async () => {
    const batches: (readonly number[])[] = [];
    const work = inBatches<number, string>("desk", async (jobs) => {
      batches.push(jobs);
      await Promise.resolve();
      return jobs.map(String);
    });
    const first = [1, 2, 3].map((job) => work.add(job));
    await Promise.resolve();
    const meanwhile = [4, 5].map((job) => work.add(job));
    expect(await Promise.all([...first, ...meanwhile])).toEqual(["1", "2", "3", "4", "5"]);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test("a batch that fails fails for all that are in it, and for nobody after it", async () => {
    const work = inBatches<number, number>("desk", async (jobs) => {
      if (jobs.includes(1)) throw new Error("no");
      return jobs;
    });
    const outcomes = await Promise.allSettled([work.add(1), work.add(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await work.add(3)).toBe(3);
  });

  test("closing waits for what was handed in, and takes nothing more", async () => {
    const done: number[] = [];
    const work = inBatches<number, number>("desk", async (jobs) => {
      await Promise.resolve();
      done.push(...jobs);
      return jobs;
    });
    void work.add(1);
    await work.close();
    expect(done).toEqual([1]);
    await expect(work.add(2)).rejects.toMatchObject({ name: "StoreError", applied: "no" });
  });

  test("whoever hands in again however soon after an answer is answered, too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 8 }), { maxLength: 12 }), async (pauses) => {
        const work = inBatches<number, number>("desk", async (jobs) => jobs);
        let answered = 0;
        const rounds = (async () => {
          for (const [job, pause] of pauses.entries()) {
            for (let i = 0; i < pause; i += 1) await Promise.resolve();
            answered += Number((await work.add(job)) === job);
          }
        })();
        // By the next turn of the loop all that needs no more than microtasks is over, and what is not never will be.
        await Promise.race([rounds, new Promise((resolve) => setImmediate(resolve))]);
        expect(answered).toBe(pauses.length);
      }),
    );
  });
});
