import type { Incident } from "../incident.js";

/** A scripted scenario: one window, in which each key does what is said of it. */
export interface Script {
  readonly name: string;
  /** What happens, in a sentence. */
  readonly story: string;
  readonly keys: readonly ScriptedKey[];
  /** When, and what the owner has used: as parts of the window, and of the limit. */
  readonly incidents?: readonly Incident[];
}

/** What one key does in a window. */
export interface ScriptedKey {
  readonly id: string;
  readonly acts: readonly Act[];
}

/** So much is asked for, evenly, between two parts of the window. */
export interface Act {
  readonly from: number;
  readonly to: number;
  /** As a part of the whole limit. */
  readonly amount: number;
}

/** All scripts: ten keys with equal shares in one window of five hours. */
export const SCRIPTS: readonly Script[] = [
  {
    name: "lone-key",
    story: "One key of ten asks for the whole limit and a fifth more, evenly; the others never come.",
    keys: [{ id: "lone", acts: [during(0, 1, 1.2)] }, ...others(9, () => [])],
  },
  {
    name: "hog-then-all",
    story:
      "One key asks for the whole limit in the first twentieth; from then on the others ask for their shares, evenly.",
    keys: [{ id: "hog", acts: [during(0, 0.05, 1)] }, ...others(9, () => [during(0.05, 0.97, 0.1)])],
  },
  {
    name: "all-at-the-end",
    story: "Nobody comes until nine tenths are over; then all ten ask for one and a half of their shares.",
    keys: others(10, () => [during(0.9, 1, 0.15)]),
  },
  {
    name: "anti-phase",
    story:
      "Five keys ask in the first and third quarter, five in the second and fourth; together for the whole limit.",
    keys: others(10, (i) =>
      i % 2 === 0
        ? [during(0, 0.25, 0.05), during(0.5, 0.75, 0.05)]
        : [during(0.25, 0.5, 0.05), during(0.75, 1, 0.05)],
    ),
  },
  {
    name: "flash-crowd",
    story:
      "One key asks for six tenths, evenly; in the last fiftieth all the others ask for their whole shares at once.",
    keys: [{ id: "steady", acts: [during(0, 1, 0.6)] }, ...others(9, () => [during(0.98, 1, 0.1)])],
  },
  {
    name: "one-whale",
    story: "One key asks for five times the limit; the others for half of their shares; all evenly.",
    keys: [{ id: "whale", acts: [during(0, 1, 5)] }, ...others(9, () => [during(0, 1, 0.05)])],
  },
  {
    name: "weight-change",
    story:
      "All ask for one and a half of their shares, evenly; at half-time the first key's share goes from a tenth to a half.",
    keys: [
      { id: "raised", acts: [during(0, 0.5, 0.075), during(0.5, 1, 0.5)] },
      ...others(9, () => [during(0, 1, 0.15)]),
    ],
    incidents: [{ at: 0.5, what: "weights", weights: [50, ...new Array<number>(9).fill(5.5)] }],
  },
  {
    name: "outside-use",
    story:
      "All ask for their shares, evenly; the account's owner uses three tenths of the limit besides, as readings tell thrice.",
    keys: others(10, () => [during(0, 1, 0.1)]),
    incidents: [0.2, 0.4, 0.6].map((at, i) => ({ at, what: "outside", used: 0.1 * (i + 1) })),
  },
];

function during(from: number, to: number, amount: number): Act {
  return { from, to, amount };
}

function others(count: number, actsOf: (i: number) => readonly Act[]): readonly ScriptedKey[] {
  return Array.from({ length: count }, (_, i) => ({ id: `key-${String(i + 1)}`, acts: actsOf(i) }));
}
