import type { PoolJson } from "@quota/http";
import { differenceText } from "../poolEditing/differenceText.js";
import { poolDifference, type PoolDifference } from "../poolEditing/poolDifference.js";
import { KeyName } from "../ui/KeyName.js";
import { lendingText } from "../ui/lendingText.js";
import { Name } from "../ui/Name.js";
import { Notice } from "../ui/Notice.js";
import { lendingPatch, type LendingDraft } from "./lendingDraft.js";

/** Somebody else was faster: what is different about the pool by now. What was chosen here is still chosen. */
export function StaleLending({
  before,
  now,
  draft,
}: {
  readonly before: PoolJson;
  readonly now: PoolJson;
  readonly draft: LendingDraft;
}) {
  const differences = poolDifference(before, now);
  return (
    <Notice tone="warning">
      Nothing was saved: somebody changed this pool meanwhile. What you chose is still here; save again to
      write it over theirs.
      {differences.length === 0 ? (
        <p>It was written again, with the same contents.</p>
      ) : (
        <ul>
          {differences.slice(0, MOST).map((difference) => {
            const { what, before: was, after } = differenceText(difference);
            const { field, apiKeyId } = difference;
            const mine = chosenOver(difference, now, draft);
            return (
              <li key={`${field} ${apiKeyId ?? ""}`}>
                {apiKeyId !== undefined && (
                  <>
                    <KeyName id={apiKeyId} />{" "}
                  </>
                )}
                {what}: was <Name>{was}</Name>, is <Name>{after}</Name> now
                {mine !== undefined && <>; you chose {mine}</>}
              </li>
            );
          })}
          {differences.length > MOST && <li>and {differences.length - MOST} more</li>}
        </ul>
      )}
    </Notice>
  );
}

/** What saving would write over it. */
function chosenOver({ field }: PoolDifference, now: PoolJson, draft: LendingDraft): string | undefined {
  if (field !== "lending" && field !== "shadow") return undefined;
  const chosen = lendingPatch(draft, now)[field];
  if (chosen === undefined) return undefined;
  return chosen === null ? "none" : lendingText(chosen);
}

/** As many as one reads before saving again. */
const MOST = 20;
