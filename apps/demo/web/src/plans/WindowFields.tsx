import { MAX_SLOTS } from "@quota/core";
import { useId } from "react";
import { Field } from "../ui/Field.js";
import type { DimensionDraft } from "./planDraft.js";
import styles from "./WindowFields.module.css";

export interface WindowFieldsProps {
  readonly dimension: DimensionDraft;
  /** By the field's name. */
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (dimension: DimensionDraft) => void;
}

/** How a window is laid and cut. Most plans need none of it, so it is folded away while nothing there is wrong. */
export function WindowFields({ dimension, faults, onChange }: WindowFieldsProps) {
  const { anchor, zone, slots, edge } = dimension;
  const zones = useId();
  const hasFault = FIELDS.some((field) => faults.has(field));
  return (
    <details className={styles.fold} open={hasFault || undefined}>
      <summary>How the window runs: {STARTS[anchor]}</summary>
      <div className={styles.fields}>
        <Field label="It starts" fault={faults.get("anchor")} hint={HINTS[anchor]}>
          <select
            value={anchor}
            onChange={({ target }) =>
              onChange({ ...dimension, anchor: target.value as DimensionDraft["anchor"] })
            }
          >
            {Object.entries(STARTS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        {anchor === "calendar" && (
          <>
            <Field
              label="Time zone"
              fault={faults.get("anchor.calendar")}
              hint="By its name, such as Europe/Paris or UTC."
            >
              <input
                autoComplete="off"
                list={zones}
                value={zone}
                onChange={({ target }) => onChange({ ...dimension, zone: target.value })}
              />
            </Field>
            <datalist id={zones}>
              {Intl.supportedValuesOf("timeZone").map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
        {anchor === "rolling" && (
          <>
            <Field
              label="Slots"
              fault={faults.get("slots")}
              hint={`How many parts it is cut in, 1 to ${String(MAX_SLOTS)}. Empty: 1.`}
            >
              <input
                className={styles.number}
                inputMode="numeric"
                autoComplete="off"
                value={slots}
                onChange={({ target }) => onChange({ ...dimension, slots: target.value })}
              />
            </Field>
            <Field
              label="Oldest slot"
              fault={faults.get("edge")}
              hint="Counted whole, no true window ever holds more than the limit; room comes back up to a slot late."
            >
              <select
                value={edge}
                onChange={({ target }) =>
                  onChange({ ...dimension, edge: target.value as DimensionDraft["edge"] })
                }
              >
                <option value="weighted">by the part still in the window</option>
                <option value="full">whole</option>
              </select>
            </Field>
          </>
        )}
      </div>
    </details>
  );
}

const FIELDS = ["anchor", "anchor.calendar", "slots", "edge"];

const STARTS: Readonly<Record<DimensionDraft["anchor"], string>> = {
  rolling: "rolling, unless the provider says when it resets",
  epoch: "on multiples of its length (UTC)",
  "first-use": "with the first use",
  calendar: "on a calendar",
};

const HINTS: Readonly<Record<DimensionDraft["anchor"], string>> = {
  rolling: "As soon as the provider says when its window resets, that window is counted.",
  epoch: "Counted from 1970 on: hours on the hour, days at midnight, weeks on a Thursday.",
  "first-use": "And again with the first use after it has run out.",
  calendar: "With the day, the week (Monday) or the month, as clocks in that time zone show them.",
};
