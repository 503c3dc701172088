import type { DecisionJson, RateRefusalJson } from "@quota/http";
import { explainDecision } from "../explain/explainDecision.js";
import { nameText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { Moment } from "../ui/Moment.js";
import styles from "./ExplainedDecision.module.css";

/** A decision in words, then when it clears. */
export function ExplainedDecision({
  decision,
  apiKeyId,
  policy,
}: {
  readonly decision: DecisionJson | RateRefusalJson;
  readonly apiKeyId: string;
  readonly policy: string | undefined;
}) {
  const { headline, sentences } = explainDecision({ decision, who: nameText(apiKeyId), policy });
  return (
    <div className={styles.explained}>
      <KeyName id={apiKeyId} />
      <p className={styles.headline}>{headline}</p>
      <ul className={styles.sentences}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {decision.retryAt !== undefined && (
        <p>
          The same request would pass at <Moment at={decision.retryAt} />, if nobody else acts before that.
        </p>
      )}
    </div>
  );
}
