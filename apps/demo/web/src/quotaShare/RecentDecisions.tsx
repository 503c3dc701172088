import type { PoolJson, ShadowDecisionJson } from "@quota/http";
import { useState } from "react";
import { reasonText } from "../explain/reasonText.js";
import { Badge } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { ErrorState } from "../ui/ErrorState.js";
import { amountText, dimensionText, nameText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { TableFrame } from "../ui/TableFrame.js";
import { Modal } from "../ui/Modal.js";
import { Moment } from "../ui/Moment.js";
import { ExplainedDecision } from "./ExplainedDecision.js";
import styles from "./RecentDecisions.module.css";
import { ShadowVerdict } from "./ShadowVerdict.js";
import { useDecisions, type LoggedDecision } from "./useDecisions.js";

/** Who was refused here lately, or passed unjudged, with the numbers of that moment. */
export function RecentDecisions({ pool }: { readonly pool: PoolJson }) {
  const [apiKeyId, setApiKeyId] = useState<string>();
  const [explained, setExplained] = useState<LoggedDecision>();
  const { data, error, refetch } = useDecisions(pool.connectionId, apiKeyId);
  if (error !== null && data === undefined)
    return <ErrorState what="The decisions" error={error} onRetry={() => void refetch()} />;
  const hasShadows = data?.some(({ decision }) => shadowOf(decision) !== undefined) === true;
  const policyOf = (id: string) => pool.allocations.find((one) => one.apiKeyId === id)?.policy;
  return (
    <div className={styles.decisions}>
      <div className={styles.filter}>
        <select
          aria-label="Decisions of which key"
          value={apiKeyId ?? ""}
          onChange={({ target }) => setApiKeyId(target.value === "" ? undefined : target.value)}
        >
          <option value="">All keys</option>
          {pool.allocations.map(({ apiKeyId: id }) => (
            <option key={id} value={id}>
              {id.slice(0, 80)}
            </option>
          ))}
        </select>
        <span className={styles.about}>
          The newest 200 refusals and unjudged requests of this gateway process; those that passed are not
          kept.
        </span>
      </div>
      {data?.length === 0 && (
        <p className={styles.about}>
          {apiKeyId === undefined ? "Nobody was" : "This key was not"} refused since the gateway started.
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <TableFrame className={styles.frame} label="Recent decisions">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Key</th>
                <th scope="col">Outcome</th>
                {hasShadows && <th scope="col">Under the shadow rule</th>}
                <th scope="col">Where</th>
                <th scope="col" className="figure">
                  Used
                </th>
                <th scope="col" className="figure">
                  Share or limit
                </th>
                <th scope="col" className="figure">
                  Opens
                </th>
                <th scope="col">
                  <span className="visually-hidden">Explanation</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map((logged) => (
                <Row key={logged.id} logged={logged} hasShadows={hasShadows} onWhy={setExplained} />
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {explained !== undefined && (
        <Modal
          title="Why?"
          about={
            <>
              The decision of <Moment at={explained.at} />, with its numbers.
            </>
          }
          onClose={() => setExplained(undefined)}
          actions={<Button onClick={() => setExplained(undefined)}>Close</Button>}
        >
          <ExplainedDecision
            decision={explained.decision}
            apiKeyId={explained.apiKeyId}
            policy={policyOf(explained.apiKeyId)}
          />
        </Modal>
      )}
    </div>
  );
}

function Row({
  logged,
  hasShadows,
  onWhy,
}: {
  readonly logged: LoggedDecision;
  readonly hasShadows: boolean;
  readonly onWhy: (logged: LoggedDecision) => void;
}) {
  const { at, apiKeyId, decision } = logged;
  const { where, used, share } = numbersOf(decision);
  return (
    <tr>
      <td>
        <Moment at={at} />
      </td>
      <th scope="row">
        <KeyName id={apiKeyId} />
      </th>
      <td>
        <Badge tone={decision.allowed ? "warning" : "danger"}>
          {"reason" in decision ? reasonText(decision.reason) : decision.status}
        </Badge>
      </td>
      {hasShadows && (
        <td>
          <ShadowVerdict shadow={shadowOf(decision)} />
        </td>
      )}
      <td>{where}</td>
      <td className="figure">{used}</td>
      <td className="figure">{share}</td>
      <td className="figure">{decision.retryAt === undefined ? "" : <Moment at={decision.retryAt} />}</td>
      <td className="actions">
        <Button look="quiet" onClick={() => onWhy(logged)} aria-label={`Why? ${nameText(apiKeyId)}`}>
          Why?
        </Button>
      </td>
    </tr>
  );
}

function shadowOf(decision: LoggedDecision["decision"]): ShadowDecisionJson | undefined {
  return "shadow" in decision ? decision.shadow : undefined;
}

interface Numbers {
  readonly where: string;
  readonly used: string;
  readonly share: string;
}

/** Of the dimension or the limit that decided, where one did. */
function numbersOf(decision: LoggedDecision["decision"]): Numbers {
  if ("refusal" in decision) {
    const { node, dimension, used, limit } = decision.refusal;
    const unit = dimension === "rpm" ? "requests" : "tokens";
    return {
      where: `${unit} per minute, ${node.kind}`,
      used: amountText(unit, used),
      share: amountText(unit, limit),
    };
  }
  const decidedBy = "decidedBy" in decision ? decision.decidedBy : undefined;
  const decided = decision.dimensions.find(({ name }) => name === decidedBy);
  if (decided === undefined) return { where: "", used: "", share: "" };
  const { name, unit, used, share } = decided;
  return {
    where: dimensionText(name),
    used: amountText(unit, used),
    share: share === undefined ? "" : amountText(unit, share),
  };
}
