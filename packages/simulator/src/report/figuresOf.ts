import type { Summary } from "../summarize.js";

/** One column of a table: what it is called, what it says, and a sentence about it. */
export interface Figure {
  readonly title: string;
  readonly meaning: string;
  write(summary: Summary): string;
}

/** What tables say of a rule, in the order of their columns. */
export const FIGURES: readonly Figure[] = [
  {
    title: "utilization",
    meaning: "what was let in, as a part of what could have been by who knew all demand beforehand",
    write: ({ utilization }) => percent(utilization, 1),
  },
  {
    title: "shortfall",
    meaning: "what keys lacked of their weighted max-min part in hindsight, as a part of all those parts",
    write: ({ shortfall }) => percent(shortfall, 1),
  },
  {
    title: "Jain",
    meaning: "how evenly keys got those parts: 1 is all the same",
    write: ({ jain }) => jain.toFixed(3),
  },
  {
    title: "refused inside",
    meaning: "requests refused once or more although their key was inside its share, as a part of all",
    write: ({ refusedInside }) => percent(refusedInside, 2),
  },
  {
    title: "lost inside",
    meaning: "requests inside their key's share that never got in, as a part of all",
    write: ({ lostInside }) => percent(lostInside, 2),
  },
  {
    title: "guarantee lacked",
    meaning: "what keys lacked of what they asked for within their share, as a part of that",
    write: ({ guaranteeShortfall }) => percent(guaranteeShortfall, 2),
  },
  {
    title: "retryAt exact",
    meaning: "sampled refusals that, if nobody acts, still stand 1 ms before their retryAt, and not at it",
    write: ({ retries: { checked, early, late } }) =>
      `${String(checked - early - late)} of ${String(checked)}`,
  },
];

/** A rule's figures in words, one for each of {@link FIGURES}. */
export function figuresOf(summary: Summary): readonly string[] {
  return FIGURES.map(({ write }) => write(summary));
}

function percent(part: number, digits: number): string {
  return `${(part * 100).toFixed(digits)} %`;
}
