import { useState } from "react";
import { Button } from "../ui/Button.js";
import { Name } from "../ui/Name.js";
import { Notice } from "../ui/Notice.js";
import { PlanEditor } from "./PlanEditor.js";
import { planDraft, type PlanDraft } from "./planDraft.js";
import { ResolvedPlan } from "./ResolvedPlan.js";
import { RevertPlan } from "./RevertPlan.js";
import { sourceText } from "./sourceText.js";
import type { SeenPlan } from "./usePlans.js";
import styles from "./ProviderPlanConfig.module.css";

/** One connection's plan: as it is, and as somebody would have it. */
export function ProviderPlanConfig({
  plan,
  draft,
  onDraft,
}: {
  readonly plan: SeenPlan;
  readonly draft: PlanDraft | undefined;
  /** Undefined: the editing is over. */
  readonly onDraft: (draft: PlanDraft | undefined) => void;
}) {
  const [said, setSaid] = useState<string>();
  const [isReverting, setReverting] = useState(false);
  const done = (what: string | undefined): void => {
    onDraft(undefined);
    setReverting(false);
    setSaid(what);
  };
  return (
    <div className={styles.plan}>
      <div className={styles.head}>
        <h2>
          <Name>{plan.connectionId}</Name>
        </h2>
        <dl className={styles.facts}>
          <div>
            <dt>Provider</dt>
            <dd>
              <Name>{plan.provider}</Name>
            </dd>
          </div>
          <div>
            <dt>Plan</dt>
            <dd>{sourceText(plan)}</dd>
          </div>
        </dl>
      </div>
      {said !== undefined && draft === undefined && <Notice tone="info">{said}</Notice>}
      {draft === undefined ? (
        <>
          <ResolvedPlan plan={plan} />
          <div className={styles.actions}>
            <Button
              look="primary"
              onClick={() => {
                setSaid(undefined);
                onDraft(planDraft(plan));
              }}
            >
              {plan.source === "empty" ? "Set dimensions" : "Edit dimensions"}
            </Button>
            {plan.source === "manual" && <Button onClick={() => setReverting(true)}>Revert…</Button>}
          </div>
        </>
      ) : (
        <PlanEditor
          plan={plan}
          draft={draft}
          onDraft={onDraft}
          onSaved={() => done("Saved. This is the plan as it is now.")}
          onCancel={() => done(undefined)}
        />
      )}
      {isReverting && (
        <RevertPlan
          plan={plan}
          onReverted={() => done("Reverted. This is the plan as it is now.")}
          onClose={() => setReverting(false)}
        />
      )}
    </div>
  );
}
