import { limitText } from "./limitText.js";
import { parseLimit } from "./parseLimit.js";

/** What has limits, as a form needs it. */
export interface Limited {
  readonly version: number;
  readonly rpm: number | null;
  readonly tpm: number | null;
}

export type LimitFields = Readonly<Record<"rpm" | "tpm", string>>;

/** Its limits as they are typed. */
export function limitFields({ rpm, tpm }: Limited): LimitFields {
  return { rpm: limitText(rpm), tpm: limitText(tpm) };
}

/** What is asked for: the limits that are not as they were. */
export function limitChange(typed: LimitFields, before: Limited): Readonly<Record<string, unknown>> {
  const known = limitFields(before);
  return {
    ...(typed.rpm !== known.rpm && { rpm: parseLimit(typed.rpm) }),
    ...(typed.tpm !== known.tpm && { tpm: parseLimit(typed.tpm) }),
  };
}
