import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { groupCommit } from "../src/groupCommit.js";
import type { QuotaDatabase } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";

describe("groupCommit", () => {
  let place: Scratch;
  let db: QuotaDatabase;
  beforeEach(async () => {
    place = scratch();
    db = await place.open();
  });
  afterEach(() => place.remove());

  test("where a batch does not even begin, nobody who waits for it is left waiting", async () => {
    let isDamaged = true;
    const desk = groupCommit<number, number>(db, {
      what: "desk",
      begin() {
        if (isDamaged) throw new Error("damaged");
      },
      run: (job) => ({ answer: job }),
    });
    for (const outcome of await Promise.allSettled([desk.add(1), desk.add(2)]))
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { name: "StoreError", applied: "no", cause: { message: "damaged" } },
      });
    isDamaged = false;
    expect(await Promise.all([desk.add(3), desk.add(4)])).toEqual([3, 4]);
    await desk.close();
  });
});
