import type { UsageJson } from "@quota/http";
import { useOverview } from "../api/useOverview.js";
import { Badge } from "../ui/Badge.js";
import { ModeBadge } from "./ModeBadge.js";
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
  const { dimensions } = usage;
  const telling =
    dimensions.find(({ mode }) => mode === "strict") ?? dimensions.find(({ mode }) => mode === "generous");
  return telling === undefined ? (
    <Badge tone="neutral">not limited</Badge>
  ) : (
    <ModeBadge mode={telling.mode} lending={telling.lending} />
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
