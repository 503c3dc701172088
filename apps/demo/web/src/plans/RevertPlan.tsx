import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Notice } from "../ui/Notice.js";
import { previewPlan } from "./planPreview.js";
import { PlanPreviewTable } from "./PlanPreviewTable.js";
import { ResolvedPlan } from "./ResolvedPlan.js";
import { sourceText } from "./sourceText.js";
import type { SeenPlan } from "./usePlans.js";
import { useWritePlan } from "./useWritePlan.js";

/** Asks whether the plan that was set here should go, and says what that would change. */
export function RevertPlan({
  plan,
  onReverted,
  onClose,
}: {
  /** As it is now, whoever made it so. */
  readonly plan: SeenPlan;
  readonly onReverted: () => void;
  readonly onClose: () => void;
}) {
  const [seen, setSeen] = useState(plan);
  const write = useWritePlan();
  const {
    data: preview,
    error,
    isFetching,
  } = useQuery({
    // Of this plan as it was seen, and never from an earlier look.
    queryKey: ["plan-revert", seen],
    queryFn: () => previewPlan(seen.connectionId, { revert: true }),
    gcTime: 0,
    // Once it is reverted there is nothing left to look at.
    enabled: write.isIdle,
  });
  const othersWere = plan.etag !== seen.etag;
  const revert = (): void =>
    write.mutate(
      { seen, wanted: "revert" },
      { onSuccess: (written) => written === "written" && onReverted() },
    );
  return (
    <Modal
      title="Take back the plan that was set here?"
      about={preview === undefined ? undefined : `Then: ${sourceText(preview)}.`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            look="danger"
            busy={write.isPending}
            disabled={preview === undefined || othersWere}
            onClick={revert}
          >
            Revert
          </Button>
        </>
      }
    >
      {othersWere && (
        <>
          <Notice
            tone="warning"
            action={
              <Button
                onClick={() => {
                  write.reset();
                  setSeen(plan);
                }}
              >
                Look at what it changes now
              </Button>
            }
          >
            Somebody else has changed this plan meanwhile. It is now:
          </Notice>
          <ResolvedPlan plan={plan} />
        </>
      )}
      <FormFault error={write.error ?? error} />
      {preview === undefined ? (
        isFetching && <p>Looking at what it changes …</p>
      ) : (
        <PlanPreviewTable preview={preview} />
      )}
    </Modal>
  );
}
