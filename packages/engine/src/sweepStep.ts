import { reservesAt, useAt, type Bucket, type EpochMs, type ReserveLine, type Use } from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import {
  addHolds,
  admissionBounds,
  decideOn,
  type DecidedAdmission,
  type OthersReserves,
} from "./decideAdmission.js";
import { keysAmounts, type DimensionMoment } from "./dimensionMoment.js";
import type { Counter, Verdict } from "./usageStore.js";
import { MOVED } from "./windowState.js";

/** The counters of a request and of everybody's reserves, and where the latter are. */
export interface SweepSheet {
  readonly counters: readonly Counter[];
  /** How many of them are the request's own. */
  readonly own: number;
  /** The other keys, in the order in which their counters follow. */
  readonly others: readonly string[];
}

/** What must be shown to decide about a request with a look at every key's reserve. */
export function sweepSheet({ moment, sheet }: AdmissionQuestion): SweepSheet {
  const { keys, counters } = moment.reserveCounters();
  const perKey = counters.length / Math.max(1, keys.length);
  const at = keys.indexOf(sheet.apiKeyId);
  const own = sheet.counters.length;
  if (at < 0) return { counters: sheet.counters.concat(counters), own, others: keys };
  return {
    counters: sheet.counters.concat(counters.slice(0, at * perKey), counters.slice((at + 1) * perKey)),
    own,
    others: keys.filter((_key, i) => i !== at),
  };
}

/** The rule's answer with a look at every key's reserve, on a reading of a {@link sweepSheet}. Pure. */
export function decideOnAll(
  question: AdmissionQuestion,
  { sheet, amounts }: { readonly sheet: SweepSheet; readonly amounts: readonly number[] },
  now: EpochMs,
): DecidedAdmission {
  const others = othersReserves(question, { sheet, amounts }, now);
  return decideOn(question, { amounts, others }, now);
}

/**
 * What an admission that looks at every key's reserve asks of the store: to hold the estimate if the rule allows it, and then to write down what
 * the reserves have given up, so that others need not look again. A refusal writes nothing, unless more was used than planned and every
 * reserve was cut: what was lost stays lost.
 */
export function sweepVerdict(
  question: AdmissionQuestion,
  { sheet, amounts }: { readonly sheet: SweepSheet; readonly amounts: readonly number[] },
  now: EpochMs,
): Verdict<DecidedAdmission | typeof MOVED> {
  const additions = new Array<number>(amounts.length).fill(0);
  if (amounts[sheet.own - 1] !== question.moment.revision) return { result: MOVED, additions };
  const decided = decideOnAll(question, { sheet, amounts }, now);
  const { decision, asked } = decided;
  const { dimensions } = question.moment;
  const perKey = dimensions.reduce(
    (sum, { reserve, buckets }) => sum + (reserve ? 2 * buckets.length : 0),
    0,
  );
  const swept = asked.dimensions.map((each) =>
    each.reserve === undefined ? undefined : reservesAt({ ...each, reserve: each.reserve }, now),
  );
  const isCut = swept.some((reserves) => reserves?.isCut);
  if (!decision.allowed && !isCut) return { result: decided, additions };
  if (decision.allowed) addHolds(additions, question, decided);

  const touched = new Set<number>();
  let offset = 0;
  let from = sheet.own;
  dimensions.forEach(({ buckets, settledAt, reserve }, i) => {
    const size = buckets.length;
    if (reserve === undefined) {
      offset += 2 * size;
      return;
    }
    const { others, decayed } = swept[i]!;
    const lines = asked.dimensions[i]!.reserve!.others!;
    let given = 0;
    lines.forEach(({ share, spent }, n) => {
      const more = share - useAt(spent, now) - others![n]!;
      if (more === 0) return;
      additions[from + n * perKey + size + settledAt] = more;
      touched.add(n);
      given += more;
    });
    additions[offset + 3 * size + settledAt]! -= given;
    if (!decision.allowed) {
      additions[offset + 2 * size + settledAt] = decayed;
      additions[offset + 3 * size + settledAt]! -= decayed;
    }
    offset += 4 * size;
    from += 2 * size;
  });
  if (isCut) return { result: decided, additions };
  return {
    result: decided,
    additions,
    get holdsUpTo() {
      const bounds = [...admissionBounds(question, decided, now)];
      for (let n = 0; n < sheet.others.length; n += 1)
        for (let c = 0; c < perKey; c += 1) bounds.push(touched.has(n) ? undefined : Infinity);
      return bounds;
    },
  };
}

function othersReserves(
  { moment }: AdmissionQuestion,
  { sheet, amounts }: { readonly sheet: SweepSheet; readonly amounts: readonly number[] },
  now: EpochMs,
): OthersReserves {
  const { dimensions, governed } = moment;
  const lines = dimensions.map(({ reserve }) => (reserve === undefined ? undefined : ([] as ReserveLine[])));
  let from = sheet.own;
  for (const key of sheet.others) {
    const { shares, kept } = governed.standings.get(key)!;
    for (let i = 0; i < dimensions.length; i += 1) {
      const each = dimensions[i]!;
      const into = lines[i];
      if (into === undefined) continue;
      const size = each.buckets.length;
      into.push({
        share: shares[i]!,
        kept: kept[i]!,
        used: useOf(each, { amounts, from, whose: "key" }, now),
        spent: useOf(each, { amounts, from: from + size, whose: "reserve" }, now),
      });
      from += 2 * size;
    }
  }
  return lines;
}

/** A number where nothing is held, which is as good until the window ends, and much less to carry about. */
function useOf(
  moment: DimensionMoment,
  asked: { readonly amounts: readonly number[]; readonly from: number; readonly whose: "key" | "reserve" },
  now: EpochMs,
): Use {
  const { amounts, from, whose } = asked;
  const { buckets, provisionalAt } = moment;
  let settled = 0;
  for (let b = 0; b < buckets.length; b += 1) {
    const amount = amounts[from + b]!;
    if (amount === 0) continue;
    if (b === provisionalAt || buckets[b]!.holds === "held" || !isWhole(buckets[b]!, now)) {
      const all =
        whose === "key" ? keysAmounts(moment, amounts, from) : amounts.slice(from, from + buckets.length);
      return { buckets, amounts: all };
    }
    settled += whose === "key" ? Math.max(0, amount) : amount;
  }
  return settled;
}

function isWhole({ fadesFrom, goneAt }: Bucket, now: EpochMs): boolean {
  return now <= fadesFrom && now < goneAt;
}
