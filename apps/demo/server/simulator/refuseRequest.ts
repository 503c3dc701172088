import type { AccountRefusal, ShownWindow } from "./accountView.js";
import { dialectOf, refusingFamilyOf } from "./answerHeaders.js";
import { deliverAnswer } from "./deliverAnswer.js";
import { familyNamed } from "./families/familyNamed.js";
import { providerError } from "./providerError.js";
import type { SimulatorOptions } from "./simulatorOptions.js";
import type { Outcome } from "./simulatorState.js";
import { deliveryOf, headersFor, viewOf, type Visit } from "./visit.js";

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly outcome: Outcome;
  readonly options: SimulatorOptions;
}

/** Answers an error in the dialect of the request. An injected 429 looks like a spent account, whatever the books say. */
export async function refuseRequest(
  visit: Visit,
  { status, message, outcome, options }: Refusal,
): Promise<void> {
  if (status === 429) return refuseUse(visit, { refusal: injected(visit, options), outcome, options });
  visit.record.decide(outcome);
  const dialect = dialectOf(visit.request, options);
  await deliverAnswer({
    ...deliveryOf({ visit, options, failure: "none" }),
    status,
    headers: headersFor(visit, options, { status }),
    content: {
      kind: "json",
      body: providerError({ dialect, status, message, requestId: `req_sim${visit.serial}` }),
      textBytes: 0,
    },
  });
}

/** Answers that a limit is reached, in the family's own words. */
export async function refuseUse(
  visit: Visit,
  { refusal, outcome, options }: Pick<Refusal, "outcome" | "options"> & { readonly refusal: AccountRefusal },
): Promise<void> {
  visit.record.decide(outcome);
  const view = viewOf(visit, options, refusal);
  const { status, body, headers } = familyNamed(refusingFamilyOf(visit.request, options)).refuse(
    view,
    refusal,
  );
  const isAnthropic = dialectOf(visit.request, options) === "anthropic";
  await deliverAnswer({
    ...deliveryOf({ visit, options, failure: "none" }),
    status,
    headers: { ...headersFor(visit, options, { status, refusal }), ...headers },
    content: {
      kind: "json",
      body: isAnthropic ? { ...body, request_id: `req_sim${visit.serial}` } : body,
      textBytes: 0,
    },
  });
}

export function badRequest(message: string): Pick<Refusal, "status" | "message" | "outcome"> {
  return { status: 400, message, outcome: "rejected" };
}

/** The shortest window, as if it were spent until the announced moment. */
function injected(visit: Visit, options: SimulatorOptions): AccountRefusal {
  const { now, windows } = viewOf(visit, options);
  const resetsAt = now + options.retryAfterSeconds * 1000;
  const nothing = {
    name: "injected",
    unit: "requests",
    lengthMs: 60_000,
    limit: 0,
    model: undefined,
  } as const;
  const [shortest = { ...nothing, opensAt: now }] = windows;
  const window: ShownWindow = { ...shortest, used: shortest.limit, percent: 100, isOpen: true, resetsAt };
  return { cause: "window", window, model: "" };
}
