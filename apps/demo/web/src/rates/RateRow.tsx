import { memo, useEffect } from "react";
import { useEdit } from "../api/useEdit.js";
import { KeySwatch } from "../ui/KeySwatch.js";
import { Name } from "../ui/Name.js";
import type { RowMenuHandle } from "../ui/RowMenu.js";
import { RowMenuButton } from "../ui/RowMenuButton.js";
import { LimitCell } from "./LimitCell.js";
import { limitChange, limitFields } from "./limitFields.js";
import { LimitStrip } from "./LimitStrip.js";
import { NameCell } from "./NameCell.js";
import { parseLimit } from "./parseLimit.js";
import { rateNodeKey } from "./rateNodeKey.js";
import { RateNumbers } from "./RateNumbers.js";
import { ratePath } from "./ratePath.js";
import type { RateWarning } from "./rateWarning.js";
import { TreeRow, type TreeLine } from "./TreeRow.js";
import type { RateNode } from "./useRates.js";
import styles from "./rates.module.css";

/** One organisation, team or key with its two limits. Drawn anew only when something of it is different. */
export const RateRow = memo(function RateRow({
  node,
  ordinal,
  warnings,
  isActive,
  onToggle,
  onTyped,
  menu,
  ...line
}: TreeLine & {
  readonly node: RateNode;
  /** Of a key. */
  readonly ordinal: number | undefined;
  readonly warnings: readonly RateWarning[] | undefined;
  readonly isActive: boolean;
  readonly onToggle: (rowKey: string) => void;
  /** Told when there begins to be something that would be lost with the line, and when there is nothing any more. */
  readonly onTyped: (rowKey: string, isTyped: boolean) => void;
  readonly menu: RowMenuHandle<RateNode>;
}) {
  const { kind, name, version, rpm, tpm } = node;
  const edit = useEdit({
    thing: { version, rpm: rpm.limit, tpm: tpm.limit },
    path: ratePath(node),
    member: kind,
    fieldsOf: limitFields,
    changeOf: limitChange,
  });
  const rowKey = rateNodeKey(node);
  const isOccupied = edit.isTyped || edit.changed !== undefined || edit.isSaving;
  useEffect(() => {
    if (!isOccupied) return undefined;
    onTyped(rowKey, true);
    return () => onTyped(rowKey, false);
  }, [isOccupied, rowKey, onTyped]);
  const isWhole = parseLimit(edit.draft.rpm) !== undefined && parseLimit(edit.draft.tpm) !== undefined;
  const label = name.slice(0, 60);
  const cells = (dimension: "rpm" | "tpm") => (
    <>
      <td role="gridcell" data-label={dimension === "rpm" ? "requests" : "tokens"} className={styles.first}>
        <LimitCell
          dimension={dimension}
          of={label}
          typed={edit.draft[dimension]}
          isTyped={edit.isTyped}
          onType={(text) => edit.set(dimension, text)}
          onSave={() => {
            if (edit.isTyped && isWhole && !edit.isSaving) edit.save();
          }}
          onDiscard={edit.discard}
          isActive={isActive}
        />
      </td>
      <RateNumbers usage={node[dimension]} isActive={isActive} />
    </>
  );
  return (
    <>
      <TreeRow rowKey={rowKey} line={line} isActive={isActive}>
        <NameCell name={label} isOpen={line.isOpen} onToggle={() => onToggle(rowKey)}>
          {kind === "key" && <KeySwatch ordinal={ordinal} />}
          <Name>{name}</Name>
          {kind !== "key" && <span className={styles.kind}>{kind}</span>}
        </NameCell>
        {cells("rpm")}
        {cells("tpm")}
        <td role="gridcell" className={`actions ${styles.menu}`}>
          <RowMenuButton
            menu={menu}
            row={node}
            label={`What can be done with ${label}`}
            tabIndex={isActive ? 0 : -1}
          />
        </td>
      </TreeRow>
      {(edit.isTyped || edit.changed !== undefined) && <LimitStrip edit={edit} name={name} />}
      {warnings?.map(({ dimension, message }) => (
        <tr key={dimension} role="row">
          <td role="gridcell" colSpan={10} className={styles.warning}>
            <span aria-hidden="true">▲ </span>
            <bdi>{message}</bdi>
          </td>
        </tr>
      ))}
    </>
  );
});
