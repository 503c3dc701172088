import { isRecord, type Members } from "../isRecord.js";
import type { StatedReset } from "./believedReset.js";
import type { Findings } from "./findings.js";
import { listIn } from "./listIn.js";
import { CHINA_MINUTES, readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";
import { usedPart } from "./usedPart.js";

/** What the fields of a window begin with, by plan. */
const WINDOWS_SAID = [
  { window: "5h", counts: "per5Hour", parts: "per5Hour" },
  { window: "weekly", counts: "perWeek", parts: "per1Week" },
  { window: "monthly", counts: "perBillMonth", parts: "per1Month" },
] as const;

/** The envelopes that the console's gateway puts around its answers, several of them. */
const ENVELOPES = ["data", "Data", "DataV2", "output", "result"];
const MOST_ENVELOPES = 8;

/**
 * The usage endpoints of Bailian (Alibaba): a coding plan counts requests, `per5HourUsedQuota` of `per5HourTotalQuota` (`perWeek…`,
 * `perBillMonth…`); a token plan tells *fractions*, though the fields are called `per5HourPercentage` (`per1Week…`, `per1Month…`).
 * Refresh times are epochs in milliseconds; a time without a zone is UTC+8. A provider called `bailian` has plans in percent, so
 * counts are given as percent there; under its other names they are requests.
 */
export function readBailianUsage(body: Members, findings: Findings): void {
  const quota = quotaIn(body);
  if (quota === undefined) return;
  const inPercent = bailianUnit(findings.provider) === "percent";
  for (const { window, counts, parts } of WINDOWS_SAID) {
    readCounts(quota, { window, prefix: counts, inPercent }, findings);
    readPart(quota, { window, prefix: parts }, findings);
  }
}

/** What a plan of this provider counts. */
export function bailianUnit(provider: string): "percent" | "requests" {
  return provider.toLowerCase().includes("bailian") ? "percent" : "requests";
}

function quotaIn(body: Members): Members | undefined {
  let members = body;
  for (let depth = 0; depth < MOST_ENVELOPES; depth += 1) {
    const info = members["codingPlanQuotaInfo"];
    if (isRecord(info)) return info;
    const instances = listIn(members["codingPlanInstanceInfos"]).filter(isRecord);
    const instance =
      instances.find(({ status }) => status === "VALID" || status === "ACTIVE") ?? instances[0];
    if (instance !== undefined)
      return isRecord(instance["codingPlanQuotaInfo"]) ? instance["codingPlanQuotaInfo"] : undefined;
    const name = ENVELOPES.find((each) => isRecord(members[each]));
    if (name === undefined) return members;
    members = members[name] as Members;
  }
  return undefined;
}

function readCounts(
  quota: Members,
  {
    window,
    prefix,
    inPercent,
  }: { readonly window: string; readonly prefix: string; readonly inPercent: boolean },
  findings: Findings,
): void {
  const fields = { limit: `${prefix}TotalQuota`, used: `${prefix}UsedQuota` };
  const part = usedPart({ limit: quota[fields.limit], used: quota[fields.used] }, fields, findings);
  if (part === undefined) return;
  findings.add({
    unit: inPercent ? "percent" : "requests",
    window,
    utilization: part.utilization,
    limit: inPercent ? undefined : part.limit,
    remaining: inPercent ? undefined : part.remaining,
    reset: resetIn(quota, `${prefix}QuotaNextRefreshTime`, findings),
    source: fields.used,
  });
}

function readPart(
  quota: Members,
  { window, prefix }: { readonly window: string; readonly prefix: string },
  findings: Findings,
): void {
  const source = `${prefix}Percentage`;
  const utilization = readNumber(quota[source], source, findings);
  if (utilization === undefined) return;
  const reset = resetIn(quota, `${prefix}ResetTime`, findings);
  findings.add({ unit: "percent", window, utilization, reset, source });
}

function resetIn(quota: Members, source: string, findings: Findings): StatedReset {
  return { at: readMoment(quota[source], source, { findings, localMinutes: CHINA_MINUTES }), source };
}
