import type { EpochMs, Unit } from "../units.js";
import type { Findings } from "./findings.js";
import type { ProviderFamily } from "./providerFamily.js";
import { CHINA_MINUTES } from "./readMoment.js";
import { rfc3339In } from "./rfc3339In.js";

/** What a family's refusals say, in lower case, and the window of the plan that is meant. */
interface Phrases {
  readonly unit: Unit;
  readonly windows: readonly (readonly [phrase: string, window: string])[];
}

const PHRASES: ReadonlyMap<ProviderFamily, Phrases> = new Map([
  [
    "glm",
    {
      unit: "tokens",
      windows: [
        ["usage limit reached for 5 hour", "5h"],
        ["5 小时的使用上限", "5h"],
        ["weekly/monthly limit exhausted", "weekly"],
        ["weekly limit exhausted", "weekly"],
      ],
    },
  ],
  [
    "minimax",
    {
      unit: "tokens",
      windows: [
        ["5-hour usage limit reached", "5h"],
        ["weekly usage limit reached", "weekly"],
      ],
    },
  ],
  [
    "kimi",
    {
      unit: "requests",
      windows: [
        ["weekly (7-day) usage limit", "weekly"],
        ["5-hour usage limit", "5h"],
      ],
    },
  ],
  [
    "bailian",
    {
      unit: "requests",
      windows: [
        ["hour allocated quota exceeded", "5h"],
        ["week allocated quota exceeded", "weekly"],
        ["month allocated quota exceeded", "monthly"],
      ],
    },
  ],
]);

const LONGEST_MESSAGE = 2000;
const DATE = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]{0,10}(?:Z|[+-]\d\d:?\d\d)?/;

/**
 * A refusal of a coding plan (GLM, MiniMax, Kimi, Bailian), which names its window in its message and nowhere else; some name when it
 * resets. A time without a zone is UTC+8.
 */
export function readPlanRefusal(
  message: string,
  { family, unit }: { readonly family: ProviderFamily; readonly unit?: Unit },
  findings: Findings,
): void {
  const phrases = PHRASES.get(family);
  if (phrases === undefined) return;
  const text = message.slice(0, LONGEST_MESSAGE).toLowerCase();
  const window = phrases.windows.find(([phrase]) => text.includes(phrase))?.[1];
  if (window === undefined) return;
  const source = "error.message";
  const at = dateIn(message.slice(0, LONGEST_MESSAGE));
  if (at !== undefined && at >= findings.receivedAt) findings.wait(at - findings.receivedAt, source);
  findings.add({
    unit: unit ?? phrases.unit,
    window,
    utilization: 1,
    reset: { at, source },
    source,
    refused: true,
  });
}

function dateIn(text: string): EpochMs | undefined {
  const date = DATE.exec(text)?.[0];
  if (date === undefined) return undefined;
  // The full stop after it is not of the date.
  return rfc3339In(date.endsWith(".") ? date.slice(0, -1) : date, CHINA_MINUTES);
}
