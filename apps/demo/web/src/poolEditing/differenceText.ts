import { policyOf } from "@quota/core";
import { amountText } from "../ui/formats.js";
import { capText } from "../ui/capText.js";
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
    case "weight":
      return says(weightText);
    case "policy":
      return says(policyOf);
    case "cap":
      return says(capWords);
    case "allocation":
      return says((its: Its<"allocation">) =>
        [weightText(its.weight), its.policy, ...(its.capValue === undefined ? [] : [capWords(its)])].join(
          ", ",
        ),
      );
  }
}

type Its<Field extends PoolDifference["field"]> = NonNullable<
  Extract<PoolDifference, { readonly field: Field }>["after"]
>;

function capWords({ capValue, capUnit, capWindow }: Its<"cap">): string {
  return capText({ value: capValue!, unit: capUnit!, window: capWindow ?? "every" });
}

const WHAT: Readonly<Record<PoolDifference["field"], string>> = {
  name: "name",
  unallocated: "keys that are not in the pool",
  saturationThreshold: "shares bind from",
  whenStoreFails: "when the store fails",
  weight: "weight",
  policy: "policy",
  cap: "cap",
  allocation: "allocation",
};

const ABSENT: Readonly<Record<PoolDifference["field"], string>> = {
  name: "none",
  unallocated: "none",
  saturationThreshold: "as the gateway’s",
  whenStoreFails: "as the gateway’s",
  weight: "none",
  policy: "none",
  cap: "no cap",
  allocation: "not in the pool",
};
