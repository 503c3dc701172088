import type { UsageJson } from "@quota/http";
import { useOverview } from "../api/useOverview.js";
import { Badge } from "../ui/Badge.js";
import styles from "./PoolState.module.css";

/** How a pool is, in words: whether shares bind, what the provider said last, and whether use can be counted at all. */
export function PoolState({
  usage,
  error,
}: {
  readonly usage: UsageJson | undefined;
  readonly error: unknown;
}) {
  const { data } = useOverview();
  const store = data?.store;
  return (
    <div className={styles.state}>
      {usage !== undefined && <Mode usage={usage} />}
      {usage !== undefined && <Signal usage={usage} />}
      {store !== undefined && store.state !== "ok" && (
        <Badge tone={store.state === "failing" ? "danger" : "warning"}>
          <span title={store.reason}>store {store.state}</span>
        </Badge>
      )}
      {error !== null && usage !== undefined && <Badge tone="warning">shown as it was last read</Badge>}
    </div>
  );
}

function Mode({ usage }: { readonly usage: UsageJson }) {
  const strict = usage.dimensions.filter(({ mode }) => mode === "strict");
  if (strict.length > 0) return <Badge tone="warning">strict</Badge>;
  return usage.dimensions.some(({ mode }) => mode === "generous") ? (
    <Badge tone="good">generous</Badge>
  ) : (
    <Badge tone="neutral">not limited</Badge>
  );
}

function Signal({ usage }: { readonly usage: UsageJson }) {
  if (usage.signals.length === 0) return <Badge tone="neutral">no signal from the provider</Badge>;
  return usage.signals.every(({ stale }) => stale) ? (
    <Badge tone="warning">signal is stale</Badge>
  ) : (
    <Badge tone="good">signal is fresh</Badge>
  );
}
