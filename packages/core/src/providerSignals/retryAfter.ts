import type { Findings } from "./findings.js";
import { httpDateIn } from "./httpDateIn.js";
import { decimalIn } from "./decimalIn.js";
import { shownValue } from "./shownValue.js";

/**
 * How long an answer's `retry-after-ms`, or else its `retry-after` (seconds, or a date), asks to wait. A date is by the provider's
 * clock, so it is counted from the answer's own `date` where it has one.
 */
export function readRetryAfter(headers: ReadonlyMap<string, string>, findings: Findings): void {
  const inMs = headers.get("retry-after-ms");
  if (inMs !== undefined && inMs !== "") {
    const ms = decimalIn(inMs);
    if (ms >= 0) {
      findings.wait(ms, "retry-after-ms");
      return;
    }
    findings.note(`retry-after-ms is ${shownValue(inMs)}, not a number from 0 up: ignored.`);
  }
  const value = headers.get("retry-after");
  if (value === undefined || value === "") return;
  const seconds = decimalIn(value);
  if (seconds >= 0) {
    findings.wait(seconds * 1000, "retry-after");
    return;
  }
  const until = httpDateIn(value);
  if (until === undefined)
    findings.note(`retry-after is ${shownValue(value)}, neither seconds nor a date: ignored.`);
  else
    findings.wait(
      Math.max(0, until - (httpDateIn(headers.get("date") ?? "") ?? findings.receivedAt)),
      "retry-after",
    );
}
