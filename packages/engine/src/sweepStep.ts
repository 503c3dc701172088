import {
  curveOf,
  reserveBound,
  reservedPartAt,
  reservesAt,
  reserveWritten,
  useAt,
  type Bucket,
  type EpochMs,
  type ReserveLine,
  type ReservesAt,
  type Use,
} from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import {
  addHolds,
  admissionBounds,
  decideOn,
  type DecidedAdmission,
  type OthersReserves,
} from "./decideAdmission.js";
import { keysAmounts, type DimensionMoment } from "./dimensionMoment.js";
import type { EverySheet } from "./poolMoment.js";
import type { Counter, Verdict } from "./usageStore.js";
import { MOVED } from "./windowState.js";

/** The counters of everybody's reserves, and where the request's own sheet is among them. */
export interface SweepSheet {
  readonly counters: readonly Counter[];
  /** Where each counter of the request's sheet is. */
  readonly own: readonly number[];
  readonly every: EverySheet;
  /** Which of the keys is the asking one; undefined for one without an allocation. */
  readonly asking: number | undefined;
}

/** What must be shown to decide about a request with a look at every key's reserve. */
export function sweepSheet({ moment, sheet }: AdmissionQuestion): SweepSheet {
  const every = moment.everySheet();
  const asking = every.places.get(sheet.apiKeyId);
  const own: number[] = [];
  const added: Counter[] = [];
  const { length } = every.counters;
  let everyoneAt = every.keys.length * every.perKey;
  let keyAt = asking === undefined ? undefined : asking * every.perKey;
  let from = 0;
  for (const { buckets, reserve } of moment.dimensions) {
    const size = buckets.length;
    const place = (tally: number, at: number | undefined): void => {
      for (let b = 0; b < size; b += 1)
        own.push(
          at === undefined ? length + added.push(sheet.counters[from + tally * size + b]!) - 1 : at + b,
        );
    };
    const isKept = reserve !== undefined;
    place(0, isKept ? keyAt : undefined);
    place(1, everyoneAt);
    if (isKept) {
      place(2, keyAt === undefined ? undefined : keyAt + size);
      place(3, everyoneAt + size);
      if (keyAt !== undefined) keyAt += 2 * size;
    }
    everyoneAt += isKept ? 2 * size : size;
    from += isKept ? 4 * size : 2 * size;
  }
  own.push(length - 1);
  // Mostly there is nothing to add, and the list is the same for everybody: a store may remember where its counters are.
  const counters = added.length === 0 ? every.counters : every.counters.concat(added);
  return { counters, own, every, asking };
}

/** The rule's answer with a look at every key's reserve, on a reading of a {@link sweepSheet}. Pure. */
export function decideOnAll(
  question: AdmissionQuestion,
  { sheet, amounts }: { readonly sheet: SweepSheet; readonly amounts: readonly number[] },
  now: EpochMs,
): DecidedAdmission {
  const others = othersReserves(question, { sheet, amounts }, now);
  return decideOn(question, { amounts: sheet.own.map((at) => amounts[at]!), others }, now);
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
  const { own } = sheet;
  if (amounts[own[own.length - 1]!] !== question.moment.revision) return { result: MOVED, additions };
  const decided = decideOnAll(question, { sheet, amounts }, now);
  const { decision, asked } = decided;
  const isCut = (decided.reserves ?? []).some(({ reserve }) => reserve?.isCut === true);
  if (!decision.allowed && !isCut) return { result: decided, additions };
  const swept = asked.dimensions.map((each) =>
    each.reserve === undefined ? undefined : reservesAt({ ...each, reserve: each.reserve }, now),
  );

  const ownAdditions = new Array<number>(own.length).fill(0);
  if (decision.allowed) addHolds(ownAdditions, question, decided);
  else addOwnDecay(ownAdditions, question, swept);
  ownAdditions.forEach((amount, i) => (additions[own[i]!] = amount));
  addOthersDecay(additions, { question, sheet, swept, decided }, now);
  if (isCut) return { result: decided, additions };
  return {
    result: decided,
    additions,
    get holdsUpTo() {
      // A store may show amounts of several moments: what was given back to another key's reserve shows in no sum that is bound.
      const bounds = new Array<number | undefined>(additions.length).fill(undefined);
      admissionBounds(question, decided, now).forEach((bound, i) => (bounds[own[i]!] = bound));
      return bounds;
    },
  };
}

/** What the asking key's reserve has given up, where the request is refused and every reserve is cut. */
function addOwnDecay(
  additions: number[],
  { moment }: AdmissionQuestion,
  swept: readonly (ReservesAt | undefined)[],
): void {
  let offset = 0;
  moment.dimensions.forEach(({ buckets, settledAt, reserve }, i) => {
    const size = buckets.length;
    if (reserve !== undefined) {
      const { decayed } = swept[i]!;
      additions[offset + 2 * size + settledAt] = decayed;
      additions[offset + 3 * size + settledAt] = -decayed;
    }
    offset += reserve === undefined ? 2 * size : 4 * size;
  });
}

/** What all other reserves have given up since it was last written down. */
function addOthersDecay(
  additions: number[],
  {
    question,
    sheet,
    swept,
    decided,
  }: {
    readonly question: AdmissionQuestion;
    readonly sheet: SweepSheet;
    readonly swept: readonly (ReservesAt | undefined)[];
    readonly decided: DecidedAdmission;
  },
  now: EpochMs,
): void {
  const { every, own, asking } = sheet;
  let offset = 0;
  let within = 0;
  question.moment.dimensions.forEach(({ buckets, settledAt, reserve }, i) => {
    const size = buckets.length;
    if (reserve === undefined) {
      offset += 2 * size;
      return;
    }
    const { others, isCut } = swept[i]!;
    const part = reservedPartAt(curveOf(question.moment.governed), reserve, now);
    const lines = decided.asked.dimensions[i]!.reserve!.others!;
    let given = 0;
    for (let line = 0; line < lines.length; line += 1) {
      const { share, kept, spent: before } = lines[line]!;
      const spent = typeof before === "number" ? before : useAt(before, now);
      const bound = reserveBound({ share, kept }, part);
      const more = share - spent - (isCut ? others![line]! : reserveWritten(share, { spent, bound }));
      if (more === 0) continue;
      const key = asking !== undefined && line >= asking ? line + 1 : line;
      const from = key * every.perKey + within;
      additions[from + size + settledAt] = more;
      given += more;
    }
    additions[own[offset + 3 * size + settledAt]!]! -= given;
    offset += 4 * size;
    within += 2 * size;
  });
}

function othersReserves(
  { moment }: AdmissionQuestion,
  { sheet, amounts }: { readonly sheet: SweepSheet; readonly amounts: readonly number[] },
  now: EpochMs,
): OthersReserves {
  const { every, asking } = sheet;
  const { standings } = every;
  let within = 0;
  return moment.dimensions.map((each, i) => {
    if (each.reserve === undefined) return undefined;
    const size = each.buckets.length;
    const lines: ReserveLine[] = [];
    for (let n = 0; n < standings.length; n += 1) {
      if (n === asking) continue;
      const from = n * every.perKey + within;
      lines.push({
        share: standings[n]!.shares[i]!,
        kept: standings[n]!.kept[i]!,
        used: useOf(each, { amounts, from, whose: "key" }, now),
        spent: useOf(each, { amounts, from: from + size, whose: "reserve" }, now),
      });
    }
    within += 2 * size;
    return lines;
  });
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
