import { MINUTE_START, revised } from "./rateSteps.js";

export const org = { id: "org", kind: "organisation" };
export const a = { id: "a", kind: "key", parent: "org" };
export const b = { id: "b", kind: "key", parent: "org" };
/** An organisation with two keys: ten a minute, of which two are kept for `a`. */
export const TEN = revised([{ ...org, rpm: 10 }, { ...a, rpm: 2 }, b]);
export const THOUSAND_TOKENS = revised([{ ...org, tpm: 1000 }, { ...a, tpm: 200 }, b]);
export const NEXT_MINUTE = MINUTE_START + 60_000;
