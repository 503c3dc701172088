import { useAt, type EpochMs, type Refused, type ShadowDecision } from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import { ContendedError } from "./contendedError.js";
import { addHolds, type DecidedAdmission } from "./decideAdmission.js";
import { heldIn } from "./held.js";
import { decideOnAll, sweepSheet, sweepVerdict } from "./sweepStep.js";
import type { UsageStore } from "./usageStore.js";
import type { MOVED } from "./windowState.js";

/**
 * Looks at every key's reserve before a request is refused, since what the others' have given up meanwhile may make room for it. That costs as
 * much as there are keys, so no key can have it done more than {@link SWEEPS_PER_SECOND} times a second, and a refusal stands until
 * the moment that it named, unless something was given back.
 */
export interface ReserveSweeps {
  /** Whether an answer that was worked out without the others' reserves is not the last word. */
  isOpen(answer: DecidedAdmission): boolean;
  /**
   * Decides again, in one step.
   *
   * @throws {ContendedError} when this key has asked too often.
   */
  decide(
    question: AdmissionQuestion,
    unswept: DecidedAdmission,
    now: EpochMs,
  ): Promise<DecidedAdmission | typeof MOVED>;
  /**
   * What the shadow rule would have said, where that keeps reserves and the request was decided without a look at them; undefined where this key has
   * asked too often. Changes nothing.
   */
  shadowOf(
    question: AdmissionQuestion,
    decided: DecidedAdmission,
    now: EpochMs,
  ): Promise<ShadowDecision | undefined>;
}

const SWEEPS_PER_SECOND = 10;

/**
 * What is given back to one reserve while another is spent shows in no sum, and may be lent sooner: a refusal is looked at again after a while,
 * whatever moment it named.
 */
const STANDS_AT_MOST_MS = 10_000;

/** Above this many keys what is remembered is forgotten, so that memory stays bounded. */
const MAX_REMEMBERED = 20_000;

interface Remembered {
  /** When this key's last sweeps were, the newest last. */
  readonly sweeps: EpochMs[];
  refusal: Standing<Refused> | undefined;
  shadow: Standing<ShadowDecision> | undefined;
}

/** An answer that refuses, and stands for as long as what it was decided on has not become less. */
interface Standing<Answer> {
  readonly moment: AdmissionQuestion["moment"];
  readonly costs: readonly number[];
  readonly amounts: readonly number[];
  readonly until: EpochMs;
  readonly answer: Answer;
}

export function createReserveSweeps(store: UsageStore): ReserveSweeps {
  const remembered = new Map<string, Remembered>();

  function rememberedOf({ live, sheet }: AdmissionQuestion): Remembered {
    const name = JSON.stringify([live.ledger, sheet.apiKeyId]);
    let found = remembered.get(name);
    if (found === undefined) {
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      found = { sweeps: [], refusal: undefined, shadow: undefined };
      remembered.set(name, found);
    }
    return found;
  }

  /** Whether this key may have everybody's reserves looked at once more. */
  function maySweep({ sweeps }: Remembered, now: EpochMs): boolean {
    while (sweeps.length > 0 && sweeps[0]! <= now - 1000) sweeps.shift();
    if (sweeps.length >= SWEEPS_PER_SECOND) return false;
    sweeps.push(now);
    return true;
  }

  return {
    isOpen: ({ decision }) =>
      decision.status === "refused" &&
      decision.dimensions.some(({ refusal, reserve }) => refusal !== undefined && reserve?.isExact === false),

    async decide(question, unswept, now) {
      const own = rememberedOf(question);
      if (own.refusal !== undefined && stands(own.refusal, { question, decided: unswept }, now))
        return { ...unswept, decision: own.refusal.answer };
      if (!maySweep(own, now)) throw new ContendedError();
      const sheet = sweepSheet(question);
      const answer = await store.transact({
        ledger: question.live.ledger,
        counters: sheet.counters,
        now,
        decide: (amounts) => sweepVerdict(question, { sheet, amounts }, now),
      });
      own.refusal =
        typeof answer === "object" && answer.decision.status === "refused"
          ? standing({ question, decided: unswept, answer: answer.decision }, now)
          : undefined;
      return answer;
    },

    async shadowOf(question, decided, now) {
      const own = rememberedOf(question);
      if (own.shadow !== undefined && stands(own.shadow, { question, decided }, now))
        return own.shadow.answer;
      if (!maySweep(own, now)) return undefined;
      const sheet = sweepSheet(question);
      const amounts = [...(await store.read(question.live.ledger, sheet.counters))];
      if (decided.decision.allowed) {
        // As it was before this request.
        const held = new Array<number>(sheet.own.length).fill(0);
        addHolds(held, question, decided);
        held.forEach((amount, i) => (amounts[sheet.own[i]!]! -= amount));
      }
      const { shadow } = decideOnAll(question, { sheet, amounts }, now).decision;
      own.shadow =
        shadow?.status === "refused" ? standing({ question, decided, answer: shadow }, now) : undefined;
      return shadow;
    },
  };
}

function standing<Answer extends { readonly retryAt?: EpochMs | undefined }>(
  asked: {
    readonly question: AdmissionQuestion;
    readonly decided: DecidedAdmission;
    readonly answer: Answer;
  },
  now: EpochMs,
): Standing<Answer> {
  const { question, decided, answer } = asked;
  return {
    moment: question.moment,
    costs: costsOf(question),
    amounts: fallingAmounts(decided, now),
    // What waits for requests in flight names no moment, but time may help it, too.
    until: Math.min(answer.retryAt ?? now, now + STANDS_AT_MOST_MS),
    answer,
  };
}

function stands(
  { moment, costs: before, amounts: then, until }: Standing<unknown>,
  asked: { readonly question: AdmissionQuestion; readonly decided: DecidedAdmission },
  now: EpochMs,
): boolean {
  const { question, decided } = asked;
  if (now >= until || moment !== question.moment) return false;
  const costs = costsOf(question);
  if (!before.every((cost, i) => cost === costs[i])) return false;
  const amounts = fallingAmounts(decided, now);
  return then.every((amount, i) => amounts[i]! >= amount);
}

function costsOf({ moment, costs }: AdmissionQuestion): readonly number[] {
  return moment.dimensions.map(({ dimension }) => heldIn(costs, dimension));
}

/** What a refusal rests on: whatever makes room for the request makes one of these less. */
function fallingAmounts({ asked }: DecidedAdmission, now: EpochMs): readonly number[] {
  return asked.dimensions.flatMap(({ used, total, reserve }) =>
    reserve === undefined
      ? [useAt(used, now), useAt(total, now)]
      : [useAt(used, now), useAt(total, now), useAt(reserve.spent, now), useAt(reserve.lent, now)],
  );
}
