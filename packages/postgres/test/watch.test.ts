import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PostgresDatabase } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";

describeWithPostgres("watching a topic", (server) => {
  let place: Scratch;
  beforeEach(async () => {
    place = await scratch(server);
  });
  afterEach(() => place.remove());

  const NEVER = 1_000_000;
  const listening =
    "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN quota_changed' AND datname = current_database()";
  const change = (db: PostgresDatabase, topic: string) => db.write(({ changed }) => changed(topic));
  const counted = (db: PostgresDatabase, topic: string) => {
    const count = { looks: 0 };
    db.watch(topic, () => void (count.looks += 1));
    return count;
  };
  const afterMore = async (count: { looks: number }, act: () => Promise<unknown>) => {
    const before = count.looks;
    await act();
    await expect.poll(() => count.looks, { timeout: 20_000 }).toBeGreaterThan(before);
  };

  test("tells of what others commit, by notification alone", async () => {
    const ours = await place.open({ watchEveryMs: NEVER });
    const theirs = await place.open();
    const count = counted(ours, "pools");
    await expect.poll(() => place.database.query(listening), { timeout: 20_000 }).toHaveLength(1);
    for (let i = 0; i < 3; i += 1) await afterMore(count, () => change(theirs, "pools"));
    expect(await ours.rows("SELECT revision FROM quota_revisions")).toEqual([{ revision: "3" }]);
  });

  test("tells of it where no notification comes through, too", async () => {
    const ours = await place.open({ watchEveryMs: 20 });
    const theirs = await place.open();
    const count = counted(ours, "pools");
    await afterMore(count, () =>
      theirs.write(({ run }) => run("INSERT INTO quota_revisions VALUES ('pools', 1)")),
    );
  });

  test("goes on after its connection was cut, and misses nothing meanwhile", async () => {
    const ours = await place.open({ watchEveryMs: 20 });
    const theirs = await place.open();
    const count = counted(ours, "pools");
    for (let i = 0; i < 2; i += 1) {
      await expect.poll(() => place.database.query(listening), { timeout: 20_000 }).toHaveLength(1);
      await afterMore(count, async () => {
        await place.database.query(`SELECT pg_terminate_backend(pid) FROM (${listening}) AS listener`);
        await change(theirs, "pools");
      });
    }
  });

  test("tells again who could not look, until they can, and nobody else", async () => {
    const db = await place.open({ watchEveryMs: 20 });
    const plans = counted(db, "plans");
    let looks = 0;
    db.watch("pools", async () => {
      looks += 1;
      if (looks < 3) throw new Error("away");
    });
    const pools = counted(db, "pools");
    await expect.poll(() => looks, { timeout: 20_000 }).toBe(3);
    await afterMore(plans, () => change(db, "plans"));
    expect([looks, pools.looks]).toEqual([3, 1]);
  });

  test("tells nobody of other topics, of what was rolled back, or after being stopped", async () => {
    const db = await place.open({ watchEveryMs: 20 });
    const [pools, plans] = [counted(db, "pools"), counted(db, "plans")];
    const stopped = { looks: 0 };
    db.watch("pools", () => void (stopped.looks += 1))();
    await expect.poll(() => pools.looks, { timeout: 20_000 }).toBeGreaterThan(0);
    const before = pools.looks;
    for (let i = 0; i < 3; i += 1) await afterMore(plans, () => change(db, "plans"));
    const failed = db.write(async ({ changed }) => {
      await changed("pools");
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    await afterMore(plans, () => change(db, "plans"));
    expect([pools.looks, stopped.looks]).toEqual([before, 0]);
  });
});
