import { dialectOf } from "./answerHeaders.js";
import { deliverAnswer } from "./deliverAnswer.js";
import { providerError } from "./providerError.js";
import type { SimulatorOptions } from "./simulatorOptions.js";
import type { Outcome } from "./simulatorState.js";
import type { Standing } from "./upstreamQuota.js";
import { deliveryOf, headersFor, standingOf, type Visit } from "./visit.js";

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly outcome: Outcome;
  readonly options: SimulatorOptions;
  readonly standing?: Standing;
}

/** Answers an error in the dialect of the request. */
export async function refuseRequest(
  visit: Visit,
  { status, message, outcome, options, standing }: Refusal,
): Promise<void> {
  visit.record.decide(outcome);
  const now = options.clock();
  const resetsAt = standing?.resetsAt ?? now + options.retryAfterSeconds * 1000;
  const error = providerError(
    {
      dialect: dialectOf(visit.request, options),
      status,
      message,
      requestId: `req_sim${visit.serial}`,
      ...(status === 429 ? { resetsAt } : {}),
    },
    now,
  );
  // An injected 429 looks like a spent account, whatever the books say.
  const shown = standing ?? {
    ...standingOf(visit, options),
    ...(status === 429 ? { allowed: false, resetsAt } : {}),
  };
  await deliverAnswer({
    ...deliveryOf({ visit, options, failure: "none" }),
    status,
    headers: { ...headersFor(visit, options, shown), ...error.headers },
    content: { kind: "json", body: error.body, textBytes: 0 },
  });
}

export function badRequest(message: string): Pick<Refusal, "status" | "message" | "outcome"> {
  return { status: 400, message, outcome: "rejected" };
}
