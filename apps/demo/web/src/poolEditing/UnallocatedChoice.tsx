import type { Unallocated } from "@quota/core";
import { useId } from "react";
import { UNALLOCATED, UNALLOCATED_WORDS } from "./policyWords.js";
import styles from "./UnallocatedChoice.module.css";

/** What keys without an allocation may do. */
export function UnallocatedChoice({
  value,
  onChange,
}: {
  readonly value: Unallocated;
  readonly onChange: (value: Unallocated) => void;
}) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend>Keys that are not in the pool</legend>
      {UNALLOCATED.map((rule) => (
        <label key={rule}>
          <input
            type="radio"
            name={name}
            value={rule}
            checked={rule === value}
            onChange={() => onChange(rule)}
          />
          <span>
            {UNALLOCATED_WORDS[rule].title}{" "}
            <span className={styles.about}>{UNALLOCATED_WORDS[rule].about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
