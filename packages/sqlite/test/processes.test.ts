import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createSqliteSpendBooks,
  createSqliteSpendQueue,
  createSqliteUsageStore,
  integrityOf,
} from "../src/index.js";
import { QUOTA_MIGRATIONS } from "../src/quotaMigrations.js";
import { buildQuotaProgram, type QuotaProgram } from "./quotaProcesses.js";
import { scratch, type Scratch } from "./scratch.js";
import { counterOf } from "./takeStep.js";

describe("several processes on one file", { timeout: 120_000 }, () => {
  let program: QuotaProgram;
  let place: Scratch;
  beforeAll(async () => {
    program = await buildQuotaProgram();
  }, 60_000);
  afterAll(() => program.remove());
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  test("two that count 500 each on the same key count 1000, without an error", async () => {
    const said = await Promise.all([1, 2].map(() => program.run(["consume", place.file, 500])));
    expect(said).toEqual([[{ errors: [] }], [{ errors: [] }]]);
    expect(await everyone()).toBe(1000);
  });

  test("four that ask for all they can get, 64 at a time, are granted exactly the ceiling between them", async () => {
    const said = await Promise.all([1, 2, 3, 4].map(() => program.run(["grant", place.file, 5000, 64])));
    expect(said.map(([first]) => first)).toEqual(Array(4).fill({ errors: [] }));
    const granted = said.map(([, second]) => Number(second?.["granted"]));
    expect(granted.reduce((sum, one) => sum + one)).toBe(5000);
    expect(await everyone()).toBe(5000);
  });

  test("four that start together on no file at all migrate it once", async () => {
    const said = await Promise.all([1, 2, 3, 4].map(() => program.run(["open", place.file])));
    expect(said).toEqual(Array(4).fill([{ opened: place.file }]));
    const db = await place.open();
    expect(db.connection.prepare("SELECT namespace, number, name FROM schema_migrations").all()).toEqual(
      QUOTA_MIGRATIONS.map(({ number, name }) => ({ namespace: "quota", number, name })),
    );
  });

  test("one that is killed in the middle of a burst leaves a sound file with all it was told was counted", async () => {
    const burst = program.start(["burst", place.file]);
    await burst.hasSaid(2000);
    burst.child.kill("SIGKILL");
    await burst.ended;
    const acknowledged = Number(burst.said.at(-1)?.["acknowledged"]);
    expect(acknowledged).toBeGreaterThanOrEqual(2000);
    expect(burst.child.signalCode).toBe("SIGKILL");
    const counted = await everyone();
    expect(counted).toBeGreaterThanOrEqual(acknowledged);
    // What was committed in the last batch, and could not be said any more.
    expect(counted).toBeLessThanOrEqual(acknowledged + 2 * 16);
    expect(integrityOf(await place.open())).toEqual({ sound: true });
  });

  test("killed while they hand in and flush, they leave every dollar that was acknowledged to be charged once", async () => {
    const alice = { kind: "key", id: "alice" } as const;
    const handingIn = [1, 2].map(() => program.start(["spend", place.file]));
    const flushing = [1, 2].map(() => program.start(["flush", place.file, 1]));
    await Promise.all(handingIn.map((each) => each.hasSaid(1000)));
    await Promise.all(flushing.map((each) => each.hasSaid(3)));
    const all = [...flushing, ...handingIn];
    for (const { child, ended } of all) {
      child.kill("SIGKILL");
      await ended;
    }
    expect(all.map(({ child }) => child.signalCode)).toEqual(Array(4).fill("SIGKILL"));
    const said = handingIn.map((each) => Number(each.said.at(-1)?.["acknowledged"]));
    const acknowledged = said.reduce((sum, one) => sum + one);

    const db = await place.open();
    const queue = createSqliteSpendQueue(db);
    const { ledger } = createSqliteSpendBooks(db);
    const { waiting } = await queue.backlog();
    expect(await queue.hotSpend(alice)).toBe(BigInt(waiting * 3));
    // What is left, by one that goes on to the end.
    await program.run(["flush", place.file]);
    expect(await queue.hotSpend(alice)).toBe(0n);
    const charged = Number(await ledger.total(alice)) / 3;
    expect(charged).toBeGreaterThanOrEqual(acknowledged);
    // What was committed in the last batches, and could not be said any more.
    expect(charged).toBeLessThanOrEqual(acknowledged + 2 * 2 * 16);
    expect(db.connection.prepare("SELECT count(*) FROM spend_events").pluck().get()).toBe(charged);
    expect(integrityOf(db)).toEqual({ sound: true });
  });

  async function everyone(): Promise<number | undefined> {
    const [amount] = await createSqliteUsageStore(await place.open()).read("ledger", [counterOf("everyone")]);
    return amount;
  }
});
