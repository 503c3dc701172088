import type { DecisionJson, PoolJson } from "@quota/http";
import { useQuery } from "@tanstack/react-query";
import { request } from "../api/request.js";
import { EVERY_MS } from "../api/createQueries.js";
import { Button } from "../ui/Button.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Modal } from "../ui/Modal.js";
import { ExplainedDecision } from "./ExplainedDecision.js";

/** What would become of one more request of a key, and why. */
export function WhyModal({
  pool,
  apiKeyId,
  onClose,
}: {
  readonly pool: PoolJson;
  readonly apiKeyId: string;
  readonly onClose: () => void;
}) {
  const asked = new URLSearchParams({ poolId: pool.id, apiKeyId, estimatedRequests: "1" });
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", pool.id, apiKeyId],
    queryFn: ({ signal }) => request<DecisionJson>(`/api/quota/preview?${asked.toString()}`, { signal }),
    refetchInterval: EVERY_MS.usage,
  });
  return (
    <Modal
      title="Why?"
      about="What would become of one more request of this key, now. Nothing is changed by asking."
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {error !== null && data === undefined && (
        <ErrorState what="The decision" error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && (
        <ExplainedDecision
          decision={data}
          apiKeyId={apiKeyId}
          policy={pool.allocations.find((one) => one.apiKeyId === apiKeyId)?.policy}
        />
      )}
    </Modal>
  );
}
