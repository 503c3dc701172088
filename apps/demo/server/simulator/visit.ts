import type { ServerResponse } from "node:http";
import { answerHeaders } from "./answerHeaders.js";
import type { Delivery } from "./deliverAnswer.js";
import type { Gate } from "./gate.js";
import type { PromptCache } from "./promptCache.js";
import { credentialOf, type ReceivedRequest } from "./receiveRequest.js";
import type { FailureKind, SimulatorOptions } from "./simulatorOptions.js";
import type { RequestRecord, StateKeeper } from "./simulatorState.js";
import type { QuotaKeeper, Standing } from "./upstreamQuota.js";

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
  readonly quota: QuotaKeeper;
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

export function headersFor(
  visit: Visit,
  options: SimulatorOptions,
  standing: Standing,
): Readonly<Record<string, string>> {
  const { request, serial } = visit;
  return answerHeaders({ request, options, serial, standing }, options.clock());
}

/** How the visitor's credential stands, without counting anything. */
export function standingOf({ provider, request }: Visit, options: SimulatorOptions): Standing {
  return provider.quota.look(credentialOf(request.headers), options.quota, options.clock());
}
