/** What an organisation, a team or a key may ask for in a UTC minute. `null`: no limit of its own; 0: nothing at all. */
export interface RateLimits {
  /** Requests per minute. */
  readonly rpm: number | null;
  /** Tokens per minute. */
  readonly tpm: number | null;
}

/** Limits as they are asked for. A member left out is `null` where something is made, and stays where it is changed. */
export type RateLimitsAsked = { readonly [Dimension in keyof RateLimits]?: number | null | undefined };

/** The limits after a change. */
export function changedLimits(before: RateLimits, { rpm, tpm }: RateLimitsAsked): RateLimits {
  return { rpm: rpm === undefined ? before.rpm : rpm, tpm: tpm === undefined ? before.tpm : tpm };
}
