import type { ChangedField } from "../api/rebaseDraft.js";
import { Name } from "./Name.js";
import { Notice } from "./Notice.js";

/** Somebody else was faster: what is different by now, and what became of what was typed. */
export function StaleNotice({
  changed,
  labels,
  shown = (_, value) => value,
}: {
  readonly changed: readonly ChangedField[];
  /** What the form calls its fields. */
  readonly labels: Readonly<Record<string, string>>;
  /** A field's value in words. */
  readonly shown?: (field: string, value: string) => string;
}) {
  return (
    <Notice tone="warning">
      Nothing was written, because somebody else has changed it meanwhile. What you typed is still here; save
      again to write it over theirs.
      {changed.length === 0 ? (
        <p>No field of this form is different: they changed what it does not show, such as credentials.</p>
      ) : (
        <ul>
          {changed.map(({ field, from, to, typed }) => (
            <li key={field}>
              {labels[field] ?? field}: was <Name>{shown(field, from)}</Name>, is{" "}
              <Name>{shown(field, to)}</Name> now
              {typed !== undefined && typed !== to && (
                <>
                  ; you typed <Name>{shown(field, typed)}</Name>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
