import type { ExplanationJson, PoolJson } from "@quota/http";
import { useQuery } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { poolPath } from "../api/poolPath.js";
import { request } from "../api/request.js";
import { Button } from "../ui/Button.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Modal } from "../ui/Modal.js";
import { ExplainedDecision } from "./ExplainedDecision.js";
import { RulesTable } from "./RulesTable.js";

/** What would become of one more request of a key, why, and what each lending rule would say. */
export function WhyModal({
  pool,
  apiKeyId,
  onClose,
}: {
  readonly pool: PoolJson;
  readonly apiKeyId: string;
  readonly onClose: () => void;
}) {
  const asked = new URLSearchParams({ apiKeyId, estimatedRequests: "1" });
  const { data, error, refetch } = useQuery({
    queryKey: ["explain", pool.id, apiKeyId],
    queryFn: ({ signal }) =>
      request<ExplanationJson>(`${poolPath(pool.id)}/explain?${asked.toString()}`, { signal }),
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
        <>
          <ExplainedDecision
            decision={data.decision}
            apiKeyId={apiKeyId}
            policy={pool.allocations.find((one) => one.apiKeyId === apiKeyId)?.policy}
          />
          <RulesTable explanation={data} />
        </>
      )}
    </Modal>
  );
}
