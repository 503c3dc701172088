import type { EpochMs, RateRefusal, RateRefused } from "@quota/core";

/**
 * A refusal by a limit per minute for the REST API, for who administers: it names the node and its numbers, in requests or whole tokens. It has no
 * dimensions, as a decision has them: no pool was asked.
 *
 * @param idOf what a node is called outside of its plan. Default: its id there.
 */
export function rateRefusalJson(
  { reason, refusal, retryAt }: RateRefused,
  idOf: (nodeId: string) => string = (nodeId) => nodeId,
): RateRefusalJson {
  const node = refusal && { kind: refusal.node.kind, id: idOf(refusal.node.id) };
  return {
    status: "refused",
    allowed: false,
    reason,
    ...(refusal !== undefined && { refusal: { ...refusal, node: node! } }),
    ...(retryAt !== undefined && { retryAt }),
    dimensions: [],
  };
}

/** What {@link rateRefusalJson} makes. */
export interface RateRefusalJson {
  readonly status: "refused";
  readonly allowed: false;
  readonly reason: RateRefused["reason"];
  /** The first node, from leaf to root, that had no room, with its numbers; missing for `contended` alone. */
  readonly refusal?: RateRefusal;
  readonly retryAt?: EpochMs;
  readonly dimensions: readonly [];
}
