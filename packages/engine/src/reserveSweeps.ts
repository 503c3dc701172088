import { useAt, type EpochMs, type Refused } from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import { ContendedError } from "./contendedError.js";
import type { DecidedAdmission } from "./decideAdmission.js";
import { heldIn } from "./held.js";
import { sweepSheet, sweepVerdict } from "./sweepStep.js";
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
}

export const SWEEPS_PER_SECOND = 10;

/** Above this many keys what is remembered is forgotten, so that memory stays bounded. */
const MAX_REMEMBERED = 20_000;

interface Remembered {
  /** When this key's last sweeps were, the newest last. */
  readonly sweeps: EpochMs[];
  standing: StandingRefusal | undefined;
}

/** A refusal that stands for as long as what it was decided on has not become less. */
interface StandingRefusal {
  readonly moment: AdmissionQuestion["moment"];
  readonly costs: readonly number[];
  readonly amounts: readonly number[];
  readonly until: EpochMs;
  readonly refusal: Refused;
}

export function createReserveSweeps(store: UsageStore): ReserveSweeps {
  const remembered = new Map<string, Remembered>();

  function rememberedOf({ live, sheet }: AdmissionQuestion): Remembered {
    const name = JSON.stringify([live.ledger, sheet.apiKeyId]);
    let found = remembered.get(name);
    if (found === undefined) {
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      found = { sweeps: [], standing: undefined };
      remembered.set(name, found);
    }
    return found;
  }

  return {
    isOpen: ({ decision }) =>
      decision.status === "refused" &&
      decision.dimensions.some(({ refusal, reserve }) => refusal !== undefined && reserve?.isExact === false),

    async decide(question, unswept, now) {
      const own = rememberedOf(question);
      if (own.standing !== undefined && stands(own.standing, { question, unswept }, now))
        return { ...unswept, decision: own.standing.refusal };
      while (own.sweeps.length > 0 && own.sweeps[0]! <= now - 1000) own.sweeps.shift();
      if (own.sweeps.length >= SWEEPS_PER_SECOND) throw new ContendedError();
      own.sweeps.push(now);
      const sheet = sweepSheet(question);
      const answer = await store.transact({
        ledger: question.live.ledger,
        counters: sheet.counters,
        now,
        decide: (amounts) => sweepVerdict(question, { sheet, amounts }, now),
      });
      own.standing =
        typeof answer === "object" && answer.decision.status === "refused"
          ? {
              moment: question.moment,
              costs: costsOf(question),
              amounts: fallingAmounts(unswept, now),
              until: answer.decision.retryAt ?? Infinity,
              refusal: answer.decision,
            }
          : undefined;
      return answer;
    },
  };
}

function stands(
  standing: StandingRefusal,
  asked: { readonly question: AdmissionQuestion; readonly unswept: DecidedAdmission },
  now: EpochMs,
): boolean {
  const { question, unswept } = asked;
  if (now >= standing.until || standing.moment !== question.moment) return false;
  const costs = costsOf(question);
  if (!standing.costs.every((cost, i) => cost === costs[i])) return false;
  const amounts = fallingAmounts(unswept, now);
  return standing.amounts.every((amount, i) => amounts[i]! >= amount);
}

function costsOf({ moment, costs }: AdmissionQuestion): readonly number[] {
  return moment.dimensions.map(({ dimension }) => heldIn(costs, dimension));
}

/** What a refusal rests on: whatever makes room for the request makes one of these less. */
function fallingAmounts({ asked }: DecidedAdmission, now: EpochMs): readonly number[] {
  return asked.dimensions.flatMap(({ used, total, reserve }) =>
    reserve === undefined
      ? [useAt(used, now), useAt(total, now)]
      : [useAt(used, now), useAt(reserve.spent, now), useAt(reserve.lent, now)],
  );
}
