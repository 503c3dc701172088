import {
  isSameLending,
  parseLending,
  type AllocationSpec,
  type Lending,
  type LendingSpec,
} from "@quota/core";
import type { AllocationJson, PoolJson } from "@quota/http";
import { parseDecimal } from "../poolEditing/parseDecimal.js";
import { lendingCurve, lendingRule } from "../ui/lendingText.js";

/** A pool's lending rule and its shadow while they are chosen. */
export type LendingDraft = Readonly<
  Record<"rule" | "curve" | "hold" | "shadow" | "shadowCurve" | "shadowHold" | "isDropping", string>
>;

/** The rule itself, or the shadow's. */
export type RuleOf = "rule" | "shadow";

/** As one begins to choose. */
export function lendingDraft({ lending, shadow }: PoolJson): LendingDraft {
  const { curve, hold } = curveDraft(lending);
  const ofShadow = curveDraft(shadow ?? "reserve");
  return {
    rule: lendingRule(lending),
    curve,
    hold,
    shadow: shadow === undefined ? NO_SHADOW : lendingRule(shadow),
    shadowCurve: ofShadow.curve,
    shadowHold: ofShadow.hold,
    isDropping: "",
  };
}

/** What the draft says; undefined while a number is missing or wrong. */
export function draftLending(draft: LendingDraft, of: RuleOf): Lending | undefined {
  const spec =
    of === "rule"
      ? specOf(draft.rule, draft.curve, draft.hold)
      : specOf(draft.shadow, draft.shadowCurve, draft.shadowHold);
  const parsed = parseLending(spec, "lending");
  return parsed.ok ? parsed.value : undefined;
}

/** What `PATCH /api/quota/pools/:id` is sent: what is left out stays. */
export function lendingPatch(draft: LendingDraft, pool: PoolJson): LendingPatch {
  const rule = specOf(draft.rule, draft.curve, draft.hold);
  const shadow =
    draft.shadow === NO_SHADOW ? null : specOf(draft.shadow, draft.shadowCurve, draft.shadowHold);
  return {
    ...(!isSame(rule, pool.lending) && { lending: rule }),
    ...(!isSame(shadow ?? undefined, pool.shadow) && { shadow }),
    ...(draft.isDropping !== "" && { allocations: pool.allocations.map(withoutPromise) }),
  };
}

/** See {@link lendingPatch}. */
export interface LendingPatch {
  readonly lending?: LendingSpec;
  readonly shadow?: LendingSpec | null;
  readonly allocations?: readonly AllocationSpec[];
}

/** The keys that were promised more than a rule which holds nothing back can keep. */
export function brokenPromises({ rule }: LendingDraft, { allocations }: PoolJson): readonly string[] {
  if (rule === "reserve" || rule === "static") return [];
  return allocations
    .filter(({ lend, lendingLimit }) => lend !== undefined || lendingLimit !== undefined)
    .map(({ apiKeyId }) => apiKeyId);
}

export const NO_SHADOW = "none";

/** Where a number was to be typed and something else was, that text is in its place, for the parser to complain about. */
function specOf(rule: string, curve: string, hold: string): LendingSpec {
  if (rule !== "reserve" || curve !== "hold") return rule as LendingSpec;
  return { rule, curve: { hold: parseDecimal(hold) ?? (hold as unknown as number) } };
}

function curveDraft(lending: LendingSpec): { readonly curve: string; readonly hold: string } {
  const curve = lendingCurve(lending);
  return curve === "pace" ? { curve, hold: "2" } : { curve: "hold", hold: String(curve.hold) };
}

function withoutPromise(allocation: AllocationJson): AllocationSpec {
  const kept = Object.entries(allocation).filter(([member]) => !PROMISES.has(member));
  return Object.fromEntries(kept) as unknown as AllocationSpec;
}

/** What of an allocation a rule must hold something back for. */
const PROMISES: ReadonlySet<string> = new Set(["lend", "lendingLimit"]);

function isSame(spec: LendingSpec | undefined, other: LendingSpec | undefined): boolean {
  if (spec === undefined || other === undefined) return spec === other;
  const [one, two] = [parseLending(spec, "lending"), parseLending(other, "lending")];
  return one.ok && two.ok && isSameLending(one.value, two.value);
}
