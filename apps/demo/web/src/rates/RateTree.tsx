import { useCallback, useMemo, useState, type KeyboardEvent } from "react";
import { useKeyOrdinals } from "../api/useKeyOrdinals.js";
import type { RowMenuHandle } from "../ui/RowMenu.js";
import { moveInTree } from "./moveInTree.js";
import { NameCell } from "./NameCell.js";
import { rateNodeKey } from "./rateNodeKey.js";
import { RateRow } from "./RateRow.js";
import { rateTree } from "./rateTree.js";
import type { RateWarning } from "./rateWarning.js";
import { TreeRow } from "./TreeRow.js";
import type { RateKind, RateNode, Rates } from "./useRates.js";
import { useOpenBranches } from "./useOpenBranches.js";
import { visibleRates } from "./visibleRates.js";
import styles from "./rates.module.css";

/** The rate plan as a tree grid: organisations, their teams, their keys, each with its limits in this minute. */
export function RateTree({
  rates: { nodes, warnings },
  menu,
}: {
  readonly rates: Rates;
  readonly menu: RowMenuHandle<RateNode>;
}) {
  const ordinals = useKeyOrdinals();
  const tree = useMemo(() => rateTree(nodes), [nodes]);
  const warned = useMemo(() => warningsOf(warnings ?? []), [warnings]);
  const { isOpen: isBranchOpen, toggle: onToggle } = useOpenBranches(tree);
  const [typed, setTyped] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setActive] = useState<string>();
  const onTyped = useCallback(
    (rowKey: string, isTyped: boolean) =>
      setTyped((before) => (isTyped ? new Set([...before, rowKey]) : without(before, rowKey))),
    [],
  );
  // What is typed is in its line, so the line stays until that is saved or discarded.
  const lines = visibleRates(tree, isBranchOpen, ({ key }) => typed.has(key));
  const active = lines.some(({ branch }) => branch.key === chosen) ? chosen : lines[0]?.branch.key;

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const rowKey = (event.target as HTMLElement).closest("tr")?.dataset.key;
    const isOnLine = event.target instanceof HTMLTableRowElement;
    const line = lines.findIndex(({ branch }) => branch.key === rowKey);
    if (line < 0) return;
    const move = moveInTree({ lines, line, pressed: event.key, isOnLine });
    if (move === undefined) return;
    event.preventDefault();
    if (move.toggle !== undefined) onToggle(move.toggle);
    const row = [...event.currentTarget.querySelectorAll<HTMLElement>("tr[data-key]")].find(
      ({ dataset }) => dataset.key === move.focus,
    );
    if (move.focus !== undefined) setActive(move.focus);
    (move.isInto ? row?.querySelector("input") : row)?.focus();
  }

  return (
    <div className="table-frame">
      <table
        // eslint-disable-next-line jsx-a11y-x/no-noninteractive-element-to-interactive-role -- ARIA in HTML lets a table be a tree grid.
        role="treegrid"
        className={`table ${styles.tree}`}
        aria-label="Rate plan"
        aria-describedby="rates-keys"
        onKeyDown={onKeyDown}
        onFocus={({ target }) => {
          const rowKey = target.closest("tr")?.dataset.key;
          if (rowKey !== undefined) setActive(rowKey);
        }}
      >
        <TreeHead />
        <tbody>
          {lines.map(({ branch: { key, node, children }, level, position, siblings, isOpen }) => {
            if (node === undefined)
              return (
                <TreeRow
                  key={key}
                  rowKey={key}
                  line={{ level, position, siblings, isOpen }}
                  isActive={key === active}
                >
                  <NameCell name={OF_NOBODY} isOpen={isOpen} onToggle={() => onToggle(key)} colSpan={10}>
                    {OF_NOBODY} <span className={styles.kind}>{children.length}</span>
                  </NameCell>
                </TreeRow>
              );
            return (
              <RateRow
                key={key}
                node={node}
                level={level}
                position={position}
                siblings={siblings}
                isOpen={isOpen}
                ordinal={node.kind === "key" ? ordinals.get(node.id) : undefined}
                warnings={warned.get(key)}
                isActive={key === active}
                onToggle={onToggle}
                onTyped={onTyped}
                menu={menu}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const OF_NOBODY = "Keys of no team and no organisation";

function TreeHead() {
  return (
    <thead>
      <tr role="row">
        <th scope="col" rowSpan={2}>
          Name
        </th>
        <th scope="colgroup" colSpan={4} className={styles.group}>
          Requests in this minute
        </th>
        <th scope="colgroup" colSpan={4} className={styles.group}>
          Tokens in this minute
        </th>
        <th scope="col" rowSpan={2}>
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
      <tr role="row">
        {["requests", "tokens"].flatMap((dimension) =>
          ["limit", "used", "held", "left"].map((column) => (
            <th key={`${dimension} ${column}`} scope="col" className="figure">
              {column}
            </th>
          )),
        )}
      </tr>
    </thead>
  );
}

function warningsOf(warnings: readonly RateWarning[]): ReadonlyMap<string, readonly RateWarning[]> {
  const byNode = new Map<string, RateWarning[]>();
  for (const warning of warnings) {
    const rowKey = rateNodeKey({ kind: warning.kind as RateKind, id: warning.id });
    byNode.set(rowKey, [...(byNode.get(rowKey) ?? []), warning]);
  }
  return byNode;
}

function without(keys: ReadonlySet<string>, gone: string): ReadonlySet<string> {
  return new Set([...keys].filter((key) => key !== gone));
}
