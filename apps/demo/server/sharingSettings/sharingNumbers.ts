import type { NumberRange } from "../numberRange.js";

/** A number that the database may say, else the environment. */
export interface SharingNumber extends NumberRange {
  /** Its name in the database. */
  readonly setting: string;
  /** Its name in the environment. */
  readonly variable: string;
  /** Where neither says anything. */
  readonly fallback: number;
}

/** The numbers by which pools share and counters are kept; what each may be stands here and nowhere else. */
export const SHARING_NUMBERS = {
  /** From this part of a limit on a pool is strict, unless it has a threshold of its own. */
  saturationThreshold: {
    setting: "quotaStore.saturationThreshold",
    variable: "QUOTA_SATURATION_THRESHOLD",
    fallback: 0.5,
    least: 0,
    most: 1,
  },
  /** What routing would multiply a deprioritized candidate's score by. Kept and shown: nothing here routes by score yet. */
  softDeprioritizeFactor: {
    setting: "quotaStore.softDeprioritizeFactor",
    variable: "QUOTA_SOFT_DEPRIORITIZE_FACTOR",
    fallback: 0.7,
    least: 0,
    most: 1,
  },
  /** How long counters are kept after they expired. */
  consumptionRetentionDays: {
    setting: "quotaStore.consumptionRetentionDays",
    variable: "QUOTA_CONSUMPTION_RETENTION_DAYS",
    fallback: 14,
    least: 0,
    most: 36_500,
  },
} as const satisfies Readonly<Record<string, SharingNumber>>;

export type SharingName = keyof typeof SHARING_NUMBERS;

export const SHARING_NAMES = Object.keys(SHARING_NUMBERS) as readonly SharingName[];
