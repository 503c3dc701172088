import { Badge, type BadgeTone } from "../ui/Badge.js";
import { Moment } from "../ui/Moment.js";
import { driverName } from "./driverName.js";
import { settingSource } from "./settingSource.js";
import type { QuotaStoreStatus } from "./useQuotaStore.js";
import styles from "./Section.module.css";

/** What counts now and how it fares. */
export function QuotaStoreFacts({ status }: { readonly status: QuotaStoreStatus }) {
  const { driver, source, redisUrlConfigured, serving, state, reason, lastError } = status;
  const { tone, word } = STATES[state];
  return (
    <dl className={styles.facts}>
      <dt>Counts now</dt>
      <dd>
        {driverName(serving)} <Badge tone={tone}>{word}</Badge>
        {reason !== undefined && <p>{reason}</p>}
      </dd>
      <dt>Asked for</dt>
      <dd>
        {driverName(driver)}, {settingSource(source, "QUOTA_STORE_DRIVER")}
      </dd>
      <dt>Redis address</dt>
      <dd>{redisUrlConfigured ? "an address is set" : "none is set"}</dd>
      <dt>Last error</dt>
      <dd>
        {lastError === undefined ? (
          "none since the start"
        ) : (
          <>
            <Moment at={Date.parse(lastError.at)} />: {lastError.said}
          </>
        )}
      </dd>
    </dl>
  );
}

const STATES: Readonly<
  Record<QuotaStoreStatus["state"], { readonly tone: BadgeTone; readonly word: string }>
> = {
  ok: { tone: "good", word: "works" },
  degraded: { tone: "warning", word: "degraded" },
  failing: { tone: "danger", word: "fails" },
};
