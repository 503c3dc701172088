import { policyOf } from "@quota/core";
import { amountText } from "../ui/formats.js";
import { capText } from "../ui/capText.js";
import { lendingText } from "../ui/lendingText.js";
import { borrowingWords, lendingWords } from "./lendingWords.js";
import type { PoolDifference } from "./poolDifference.js";
import { UNALLOCATED_WORDS } from "./policyWords.js";
import { weightText } from "./weightText.js";

/** A difference of two versions of a pool, for people. */
export interface DifferenceText {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

export function differenceText(difference: PoolDifference): DifferenceText {
  const { field, before, after } = difference;
  const says = (text: (value: never) => string): DifferenceText => ({
    what: WHAT[field],
    before: before === undefined ? ABSENT[field] : text(before as never),
    after: after === undefined ? ABSENT[field] : text(after as never),
  });
  switch (field) {
    case "name":
      return says((name: string) => name);
    case "unallocated":
      return says((rule: keyof typeof UNALLOCATED_WORDS) => UNALLOCATED_WORDS[rule].title);
    case "saturationThreshold":
      return says((part: number) => amountText("percent", part * 100));
    case "whenStoreFails":
      return says((policy: unknown) => (typeof policy === "string" ? policy : JSON.stringify(policy)));
    case "lending":
    case "shadow":
      return says(lendingText);
    case "weight":
      return says(weightText);
    case "policy":
      return says(policyOf);
    case "cap":
      return says(capWords);
    case "lends":
      return says(({ lend = true, lendingLimit }: Its<"lends">) =>
        lendingWords(lend, percentOf(lendingLimit)),
      );
    case "borrowingLimit":
      return says((limit: number) => borrowingWords(percentOf(limit)));
    case "allocation":
      return says((its: Its<"allocation">) => allocationWords(its));
  }
}

type Its<Field extends PoolDifference["field"]> = NonNullable<
  Extract<PoolDifference, { readonly field: Field }>["after"]
>;

function capWords({ capValue, capUnit, capWindow }: Its<"cap">): string {
  return capText({ value: capValue!, unit: capUnit!, window: capWindow ?? "every" });
}

function allocationWords(its: Its<"allocation">): string {
  const { weight, policy, capValue, lend = true, lendingLimit, borrowingLimit } = its;
  return [
    weightText(weight),
    policy,
    ...(capValue === undefined ? [] : [capWords(its)]),
    ...(lend && lendingLimit === undefined ? [] : [lendingWords(lend, percentOf(lendingLimit))]),
    ...(borrowingLimit === undefined ? [] : [borrowingWords(percentOf(borrowingLimit))]),
  ].join(", ");
}

function percentOf(limit: number | undefined): string {
  return limit === undefined ? "" : weightText(limit);
}

const WHAT: Readonly<Record<PoolDifference["field"], string>> = {
  name: "name",
  unallocated: "keys that are not in the pool",
  saturationThreshold: "shares bind from",
  whenStoreFails: "when the store fails",
  lending: "lending rule",
  shadow: "shadow rule",
  weight: "weight",
  policy: "policy",
  cap: "cap",
  lends: "lending",
  borrowingLimit: "borrowing",
  allocation: "allocation",
};

const ABSENT: Readonly<Record<PoolDifference["field"], string>> = {
  name: "none",
  unallocated: "none",
  saturationThreshold: "as the gateway’s",
  whenStoreFails: "as the gateway’s",
  lending: "threshold",
  shadow: "none",
  weight: "none",
  policy: "none",
  cap: "no cap",
  lends: lendingWords(true, ""),
  borrowingLimit: borrowingWords(""),
  allocation: "not in the pool",
};
