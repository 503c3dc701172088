import type { Policy, Unallocated } from "@quota/core";

/** Every policy, the default first. */
export const POLICIES: readonly Policy[] = ["hard", "soft", "burst"];

/** What each does to a key that has used up its share, once the pool is so full that shares bind. */
export const POLICY_WORDS: Readonly<Record<Policy, string>> = {
  hard: "refused until its window moves.",
  soft: "let through, but another account is preferred where there is one.",
  burst: "let through until the account is full.",
};

export const UNALLOCATED: readonly Unallocated[] = ["borrow", "deny", "allow"];

/** What a key without an allocation may do. */
export const UNALLOCATED_WORDS: Readonly<
  Record<Unallocated, { readonly title: string; readonly about: string }>
> = {
  borrow: { title: "May borrow", about: "They use what is idle, and are refused once shares bind." },
  deny: { title: "Refused", about: "Nobody but the keys of the pool uses this account." },
  allow: { title: "Allowed", about: "They go on until the account is full." },
};
