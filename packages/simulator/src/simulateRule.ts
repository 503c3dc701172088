import { WINDOW_MS, type LendingSpec, type Refused } from "@quota/core";
import { arrivalsOf } from "./arrivals.js";
import { checkRetry } from "./checkRetry.js";
import { draws } from "./draws.js";
import { createEventQueue } from "./eventQueue.js";
import type { Incident } from "./incident.js";
import { COURSE_PARTS, type Played, type PlayedWindow } from "./played.js";
import { BEGINNING, createSimulatedPool } from "./simulatedPool.js";
import { createWaitingQueue } from "./waitingQueue.js";
import { createWindowBook } from "./windowBook.js";
import type { Workload } from "./workload.js";

/** Who was refused asks again up to so much later than he was told, as clients do. */
const JITTER_MS = 1000;
/** When to ask again after a refusal that says nothing of it (`contended`, `in-flight`). */
const UNTOLD_MS = 1000;
/** The first refusals are all checked, and then one in so many. */
const CHECKED_FIRST = 20;
const CHECKED_EVERY = 997;

/**
 * Plays a workload under one rule, in virtual time, through the real engine: the same seed makes the same requests, whatever the rule.
 *
 * Every request asks when it arrives. One that is refused waits in its key's queue; the first of the queue asks again at the refusal's
 * `retryAt` (and up to a second later, by chance, as clients do), and, when it passes, so does the next, at once. When something happens
 * that may give room back (weights change, a reading tells less), every queue asks again. What waits when the window ends goes away: it
 * is demand that was not met. An answer takes no time, and costs what was estimated: one request.
 *
 * @example
 * const played = await simulateRule({ workload: scriptNamed("hog-then-all"), lending: "threshold", seed: "1" });
 */
export async function simulateRule(run: {
  readonly workload: Workload;
  readonly lending: LendingSpec;
  readonly seed: string;
}): Promise<Played> {
  const { workload, lending, seed } = run;
  const { keys, window, limit, incidents } = workload;
  const windowMs = WINDOW_MS[window];
  const last = BEGINNING + workload.windows * windowMs;
  const clock = { at: BEGINNING, now: () => clock.at };
  const pool = await createSimulatedPool(workload, lending, clock);
  const { engine, requests } = pool;
  const { uniform } = draws(`${seed} retries`);
  const arrivals = keys.map(({ id, rates }) => arrivalsOf(rates, `${seed} ${id}`));
  const waiting = keys.map(() => createWaitingQueue());
  /** When the first of each queue asks again. */
  const asksAt = new Array<number>(keys.length).fill(Infinity);
  const book = createWindowBook(keys.length);
  const windows: PlayedWindow[] = [];
  const retries = { checked: 0, early: 0, late: 0 };
  const course = keys.map(() => new Array<number>(COURSE_PARTS).fill(0));
  let weights: readonly number[] = keys.map(({ weight }) => weight);
  let outside = 0;
  let windowEnd = BEGINNING + windowMs;
  let asks = 0;
  let refusals = 0;
  let refusedInside = 0;

  // Events are numbers: of every key its next arrival and its next retry, then the incidents.
  const queue = createEventQueue();
  const firstRetry = keys.length;
  const firstIncident = 2 * keys.length;
  for (let key = 0; key < keys.length; key += 1) awaitArrival(key);
  incidents.forEach(({ at }, i) => queue.push(BEGINNING + at, firstIncident + i));
  for (;;) {
    const at = Math.floor(queue.nextAt);
    while (at >= windowEnd && windowEnd <= last) endWindow();
    if (at >= last) break;
    const event = queue.pop()!;
    clock.at = at;
    if (event >= firstIncident) await happen(incidents[event - firstIncident]!);
    else if (event < firstRetry) await arrive(event);
    else if (asksAt[event - firstRetry] === at) await askAgain(event - firstRetry);
  }
  await pool.close();
  return { windows, asks, refusals, refusedInside, retries, course };

  function awaitArrival(key: number): void {
    const at = arrivals[key]!();
    if (at !== Infinity) queue.push(BEGINNING + at, key);
  }

  async function arrive(key: number): Promise<void> {
    awaitArrival(key);
    book.arrived(key);
    const refused = await ask(key);
    if (refused === undefined) return;
    const isInside = wasInside(refused);
    if (isInside) refusedInside += 1;
    waiting[key]!.add(isInside);
    awaitRetry(key, refused);
  }

  async function askAgain(key: number): Promise<void> {
    asksAt[key] = Infinity;
    const mine = waiting[key]!;
    while (mine.size > 0) {
      const refused = await ask(key);
      if (refused !== undefined) {
        if (wasInside(refused) && mine.note()) refusedInside += 1;
        return awaitRetry(key, refused);
      }
      mine.shift();
    }
  }

  /** Undefined: it passed. */
  async function ask(key: number): Promise<Refused | undefined> {
    asks += 1;
    const { decision, lease } = await engine.admit(requests[key]!);
    if (decision.status === "unavailable") throw new Error("The engine failed.", { cause: decision.cause });
    const share = decision.dimensions[0]?.share;
    if (share !== undefined) book.hasShare(key, share);
    if (lease !== undefined) {
      book.admitted(key);
      course[key]![Math.floor(((clock.at - BEGINNING) / (last - BEGINNING)) * COURSE_PARTS)]! += 1;
      await engine.settle(lease);
      return undefined;
    }
    refusals += 1;
    if (refusals <= CHECKED_FIRST || refusals % CHECKED_EVERY === 0)
      await checkRetry({ pool, key, refused: decision, into: retries });
    return decision;
  }

  function awaitRetry(key: number, { retryAt = clock.at + UNTOLD_MS }: Refused): void {
    const at = Math.floor(retryAt + uniform() * JITTER_MS);
    // One that waits longer already has been told so by others' use: what was told last counts.
    asksAt[key] = at;
    if (at < windowEnd) queue.push(at, firstRetry + key);
  }

  async function happen(incident: Incident): Promise<void> {
    if (incident.what === "weights") {
      weights = incident.weights;
      await pool.weigh(weights);
    } else {
      outside = incident.used;
      await pool.read((book.total + outside) / limit, windowEnd);
    }
    for (let key = 0; key < keys.length; key += 1) await askAgain(key);
  }

  function endWindow(): void {
    windows.push(book.close({ weights, outside }));
    outside = 0;
    windowEnd += windowMs;
    for (const each of waiting) each.clear();
    asksAt.fill(Infinity);
  }
}

function wasInside({ dimensions }: Refused): boolean {
  const numbers = dimensions[0];
  return numbers?.share !== undefined && numbers.used + numbers.cost <= numbers.share;
}
