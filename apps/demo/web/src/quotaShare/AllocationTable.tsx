import type { AllocationJson, DimensionUsageJson, KeyUsageJson } from "@quota/http";
import { memo, useMemo, useState } from "react";
import { Badge } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { capText } from "../ui/capText.js";
import { Countdown } from "../ui/Countdown.js";
import { bareAmountText, nameText, windowText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { TableFrame } from "../ui/TableFrame.js";
import styles from "./AllocationTable.module.css";

export interface AllocationTableProps {
  readonly usage: DimensionUsageJson;
  readonly allocations: readonly AllocationJson[];
  /** How far the gateway's clock is ahead of this machine's. */
  readonly ahead: number;
  /** Asks why a key may go on, or may not. */
  readonly onWhy: (apiKeyId: string) => void;
}

/** Every key of a pool in one dimension: what it used of what is its own, and what it may do now. */
export function AllocationTable({ usage, allocations, ahead, onWhy }: AllocationTableProps) {
  const [wanted, setWanted] = useState("");
  const [which, setWhich] = useState<keyof typeof KINDS>("all");
  const byKey = useMemo(() => new Map(allocations.map((one) => [one.apiKeyId, one])), [allocations]);
  const shown = usage.perKey.filter((key) => key.apiKeyId.includes(wanted) && KINDS[which].has(key));
  const { unit, window } = usage;
  const isLong = usage.perKey.length > 12;
  const hasReserves = usage.reserved !== undefined;
  return (
    <div className={styles.keys}>
      {isLong && (
        <div className={styles.filter}>
          <input
            type="search"
            aria-label="Only keys whose name has this in it"
            placeholder="Filter keys"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          <select
            aria-label="Which keys"
            value={which}
            onChange={({ target }) => setWhich(target.value as keyof typeof KINDS)}
          >
            {Object.entries(KINDS).map(([kind, { name }]) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </select>
          <span className={styles.count}>
            {shown.length} of {usage.perKey.length} keys
          </span>
        </div>
      )}
      <TableFrame className={styles.frame} label={`Keys: ${unit} per ${windowText(window)}`}>
        <table className="table">
          <caption className="visually-hidden">
            What each key used of its share of {unit} per {windowText(window)}
          </caption>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Policy</th>
              <th scope="col" className="figure">
                Used
              </th>
              <th scope="col" className="figure">
                In flight
              </th>
              <th scope="col" className="figure">
                Fair share
              </th>
              <th scope="col" className="figure">
                Over or left
              </th>
              {hasReserves && (
                <th scope="col" className="figure">
                  Reserved for it
                </th>
              )}
              <th scope="col">State</th>
              <th scope="col" className="figure">
                Cap
              </th>
              <th scope="col" className="figure">
                May use now
              </th>
              <th scope="col" className="figure">
                Opens in
              </th>
              <th scope="col">
                <span className="visually-hidden">Explanation</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((key) => (
              <Row
                key={key.apiKeyId}
                usage={key}
                unit={unit}
                hasReserves={hasReserves}
                allocation={byKey.get(key.apiKeyId)}
                ahead={key.retryAt === undefined ? 0 : ahead}
                onWhy={onWhy}
              />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && (
          <p className={styles.none}>
            {usage.perKey.length === 0
              ? "No key has an allocation here yet: edit the allocations to add some."
              : "No key is like that; change the filter."}
          </p>
        )}
      </TableFrame>
    </div>
  );
}

const KINDS = {
  all: { name: "All keys", has: () => true },
  borrowing: { name: "Borrowing", has: ({ borrowing }: KeyUsageJson) => borrowing },
  blocked: { name: "Blocked now", has: isBlocked },
} as const;

const Row = memo(function Row({
  usage,
  unit,
  hasReserves,
  allocation,
  ahead,
  onWhy,
}: {
  readonly usage: KeyUsageJson;
  readonly unit: DimensionUsageJson["unit"];
  /** Whether the pool reserves anything for anybody. */
  readonly hasReserves: boolean;
  readonly allocation: AllocationJson | undefined;
  readonly ahead: number;
  readonly onWhy: (apiKeyId: string) => void;
}) {
  const { apiKeyId, consumed, held, fairShare, deficit, borrowing, available, retryAt } = usage;
  return (
    <tr>
      <th scope="row">
        <KeyName id={apiKeyId} />
      </th>
      <td>{allocation?.policy ?? "hard"}</td>
      <td className="figure">{bareAmountText(unit, consumed)}</td>
      <td className="figure">{bareAmountText(unit, held)}</td>
      <td className="figure">{fairShare === undefined ? "none" : bareAmountText(unit, fairShare)}</td>
      <td className="figure">{deficit === undefined ? "" : deficitText(unit, deficit)}</td>
      {hasReserves && (
        <td className="figure">
          {bareAmountText(unit, usage.reserve ?? 0)}
          {allocation?.lend === false && <span className={styles.kept}> kept</span>}
        </td>
      )}
      <td className={styles.state}>
        {isBlocked(usage) ? (
          <Badge tone="danger">blocked</Badge>
        ) : borrowing ? (
          <Badge tone="warning">borrowing</Badge>
        ) : (
          <Badge tone="good">inside</Badge>
        )}
      </td>
      <td className="figure">{capOf(allocation)}</td>
      <td className="figure">{available === "unlimited" ? "unlimited" : bareAmountText(unit, available)}</td>
      <td className={`figure ${styles.opens}`}>
        {retryAt === undefined ? "" : <Countdown to={retryAt} ahead={ahead} />}
      </td>
      <td className="actions">
        <Button look="quiet" onClick={() => onWhy(apiKeyId)} aria-label={`Why? ${nameText(apiKeyId)}`}>
          Why?
        </Button>
      </td>
    </tr>
  );
});

function isBlocked({ retryAt, available }: Pick<KeyUsageJson, "retryAt" | "available">): boolean {
  return retryAt !== undefined || available === 0;
}

function deficitText(unit: DimensionUsageJson["unit"], deficit: number): string {
  return deficit > 0
    ? `${bareAmountText(unit, deficit)} over`
    : `${bareAmountText(unit, Math.abs(deficit))} left`;
}

function capOf(allocation: AllocationJson | undefined): string {
  const { capValue, capUnit, capWindow } = allocation ?? {};
  if (capValue === undefined || capUnit === undefined) return "";
  return capText({ value: capValue, unit: capUnit, window: capWindow ?? "every" });
}
