import type { ServerResponse } from "node:http";
import type { Account } from "./account.js";
import type { AccountRefusal, AccountView } from "./accountView.js";
import type { AccountKeeper } from "./accounts.js";
import { answerHeaders } from "./answerHeaders.js";
import type { Delivery } from "./deliverAnswer.js";
import type { Gate } from "./gate.js";
import type { PromptCache } from "./promptCache.js";
import { credentialOf, type ReceivedRequest } from "./receiveRequest.js";
import type { FailureKind, SimulatorOptions } from "./simulatorOptions.js";
import type { RequestRecord, StateKeeper } from "./simulatorState.js";

/** One request being answered. */
export interface Visit {
  readonly provider: Provider;
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
  readonly serial: string;
  readonly gone: AbortSignal;
  /** Resets the client's socket. */
  readonly reset: () => void;
}

/** How a visit is to be answered. */
export interface Plan {
  readonly visit: Visit;
  readonly options: SimulatorOptions;
  readonly failure: FailureKind | "none";
}

/** What all requests of one simulator share. */
export interface Provider {
  options(): SimulatorOptions;
  nextSerial(): string;
  readonly state: StateKeeper;
  readonly accounts: AccountKeeper;
  readonly gate: Gate;
  readonly promptCache: PromptCache;
  /** Whether this request is one of the share that fails. */
  meetsFailure(rate: number): boolean;
  readonly closing: AbortSignal;
}

/** What every delivery of a plan carries, refusals included. */
export function deliveryOf({
  visit,
  options,
  failure,
}: Plan): Omit<Delivery, "status" | "headers" | "content"> {
  const { response, provider, gone, reset } = visit;
  const { state, gate } = provider;
  return { response, options, failure, state, gate, gone, reset, onTokens: () => undefined };
}

/** What stands on an answer, with the limits as they are now; a refusal shows the window it is for as full. */
export function headersFor(
  visit: Visit,
  options: SimulatorOptions,
  { status = 200, refusal }: { readonly status?: number; readonly refusal?: AccountRefusal } = {},
): Readonly<Record<string, string>> {
  const { request, serial } = visit;
  const view = viewOf(visit, options, refusal);
  return answerHeaders({ request, options, serial, status, view, refusal });
}

export function viewOf(visit: Visit, options: SimulatorOptions, refusal?: AccountRefusal): AccountView {
  const view = accountOf(visit).view(options.clock());
  if (refusal === undefined) return view;
  const { window } = refusal;
  return { ...view, windows: view.windows.map((each) => (each.name === window.name ? window : each)) };
}

/** The books the visitor is written into. */
export function accountOf({ provider, request }: Visit): Account {
  return provider.accounts.of({ family: request.family, credential: credentialOf(request.headers) });
}
