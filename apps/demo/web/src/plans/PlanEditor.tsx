import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Button } from "../ui/Button.js";
import { Notice } from "../ui/Notice.js";
import { DimensionFields } from "./DimensionFields.js";
import { MonthNote } from "./MonthNote.js";
import { isChanged, planDraft, typedDimensions, withDimension, type PlanDraft } from "./planDraft.js";
import { planFaults } from "./planFaults.js";
import { PlanPreviewTable } from "./PlanPreviewTable.js";
import { previewPlan } from "./planPreview.js";
import { ResolvedPlan } from "./ResolvedPlan.js";
import type { SeenPlan } from "./usePlans.js";
import { useUnsavedWarning } from "./useUnsavedWarning.js";
import { useWritePlan } from "./useWritePlan.js";
import styles from "./PlanEditor.module.css";

export interface PlanEditorProps {
  /** As it is now, whoever made it so. */
  readonly plan: SeenPlan;
  readonly draft: PlanDraft;
  readonly onDraft: (draft: PlanDraft) => void;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}

/** Edits a plan's dimensions. What is saved was previewed first, exactly as it is. */
export function PlanEditor({ plan, draft, onDraft, onSaved, onCancel }: PlanEditorProps) {
  const addPlace = useRef<HTMLDivElement>(null);
  const previewPlace = useRef<HTMLDivElement>(null);
  const preview = useMutation({
    mutationFn: (asked: PlanDraft) => previewPlan(plan.connectionId, { dimensions: typedDimensions(asked) }),
    onMutate: () => write.reset(),
  });
  const write = useWritePlan();
  const isFresh = preview.isSuccess && preview.variables === draft;
  const faults = planFaults(write.error ?? preview.error, preview.variables?.rows ?? draft.rows);
  const othersWere = plan.etag !== draft.base.etag;
  useUnsavedWarning(isChanged(draft));
  useEffect(() => {
    if (isFresh) previewPlace.current?.focus();
  }, [isFresh]);

  const save = (): void =>
    write.mutate(
      { seen: draft.base, wanted: { dimensions: typedDimensions(draft) } },
      { onSuccess: (written) => written === "written" && onSaved() },
    );
  return (
    <form
      className={styles.editor}
      noValidate
      aria-label={`Dimensions of ${plan.connectionId}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isFresh) preview.mutate(draft);
      }}
    >
      {othersWere && (
        <div className={styles.others}>
          <Notice
            tone="warning"
            action={
              <span className={styles.actions}>
                <Button onClick={() => onDraft(planDraft(plan))}>Take theirs</Button>
                <Button onClick={() => onDraft({ base: plan, rows: draft.rows })}>Keep mine</Button>
              </span>
            }
          >
            Somebody else has changed this plan since you began. Nothing of yours is lost or saved yet. It is
            now:
          </Notice>
          <ResolvedPlan plan={plan} />
        </div>
      )}
      {draft.rows.length === 0 && (
        <p className={styles.none}>
          No dimension is left: saved like this, nothing is limited on this connection.
        </p>
      )}
      <ol className={styles.rows}>
        {draft.rows.map((row, i) => (
          <DimensionFields
            key={row.row}
            number={i + 1}
            dimension={row}
            faults={faults.ofRow(row.row)}
            onChange={(changed) =>
              onDraft({ ...draft, rows: draft.rows.map((other) => (other === row ? changed : other)) })
            }
            onRemove={() => {
              onDraft({ ...draft, rows: draft.rows.filter((other) => other !== row) });
              addPlace.current?.querySelector("button")?.focus();
            }}
          />
        ))}
      </ol>
      <MonthNote
        dimensions={draft.rows.map(({ window, anchor }) => ({
          window,
          ...(anchor === "calendar" && { anchor: { calendar: "" } }),
        }))}
      />
      <div ref={addPlace}>
        <Button onClick={() => onDraft(withDimension(draft))}>Add a dimension</Button>
      </div>
      {faults.general !== undefined && (
        <p className={styles.fault} role="alert">
          {faults.general}
        </p>
      )}
      <div className={styles.actions}>
        <Button
          look={isFresh ? "plain" : "primary"}
          type="submit"
          busy={preview.isPending}
          disabled={isFresh || !isChanged(draft)}
        >
          Preview
        </Button>
        <Button onClick={onCancel}>{isChanged(draft) ? "Discard" : "Cancel"}</Button>
        <span className={styles.next} role="status">
          {nextStep({ isFresh, hasChanged: isChanged(draft), othersWere })}
        </span>
      </div>
      {isFresh && (
        // Below what it changes, so that no second click on "Preview" saves unseen.
        <div ref={previewPlace} className={styles.preview} tabIndex={-1}>
          <PlanPreviewTable preview={preview.data} />
          <div className={styles.actions}>
            <Button look="primary" busy={write.isPending} disabled={othersWere} onClick={save}>
              Save
            </Button>
          </div>
        </div>
      )}
    </form>
  );
}

function nextStep({
  isFresh,
  hasChanged,
  othersWere,
}: {
  readonly isFresh: boolean;
  readonly hasChanged: boolean;
  readonly othersWere: boolean;
}): string {
  if (othersWere) return "Say first whether yours or theirs goes on.";
  if (isFresh) return "Nothing is written yet. This is what it would change:";
  return hasChanged ? "Look at what it changes before it is saved." : "Nothing is changed yet.";
}
