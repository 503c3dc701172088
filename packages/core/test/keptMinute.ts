import {
  chargeRates,
  layOutRates,
  rebuildRates,
  type RatePath,
  type RatePlan,
  type RatePlanNode,
  type RateSheet,
  type RateUsage,
} from "@quota/core";

/** One UTC minute of counters, by their names, kept the way a store would: by what is added to them. */
export interface KeptMinute {
  /** What the cells of a sheet hold. */
  amountsOf(sheet: RateSheet): readonly number[];
  add(sheet: RateSheet, additions: readonly number[]): void;
  /** Charges nodes, whatever the limits say. */
  charge(
    nodes: readonly RatePlanNode[],
    charge: { readonly requests: number; readonly tokens: number },
  ): void;
  /** Makes every `given` what the uses say, under a plan; how much that changed. */
  rebuild(plan: RatePlan): number;
  /** The uses, as the definition asks for them. */
  readonly usage: { get(nodeId: string): RateUsage };
}

/** A minute in which these were used, and nothing else is known. */
export function keptMinute(used: ReadonlyMap<string, RateUsage> = new Map()): KeptMinute {
  const kept = new Map<string, number>();
  const nameOf = ({ nodeId, dimension, counts }: RateSheet["cells"][number]): string =>
    `${nodeId}\n${dimension}\n${counts}`;
  for (const [nodeId, { requests, tokens }] of used) {
    kept.set(nameOf({ nodeId, dimension: "rpm", counts: "used" }), requests);
    kept.set(nameOf({ nodeId, dimension: "tpm", counts: "used" }), tokens);
  }
  const amountsOf = (sheet: RateSheet): readonly number[] =>
    sheet.cells.map((cell) => kept.get(nameOf(cell)) ?? 0);
  const add = (sheet: RateSheet, additions: readonly number[]): void => {
    sheet.cells.forEach((cell, i) => kept.set(nameOf(cell), (kept.get(nameOf(cell)) ?? 0) + additions[i]!));
  };
  return {
    amountsOf,
    add,
    charge(nodes, { requests, tokens }) {
      const sheet = layOutRates(nodes);
      add(sheet, chargeRates({ sheet, amounts: amountsOf(sheet), requests, tokens }));
    },
    rebuild(plan) {
      const sheet = layOutRates([...plan.nodes.values()]);
      const additions = rebuildRates({ sheet, amounts: amountsOf(sheet) });
      add(sheet, additions);
      return additions.reduce((sum, addition) => sum + Math.abs(addition), 0);
    },
    usage: {
      get: (nodeId) => ({
        requests: kept.get(nameOf({ nodeId, dimension: "rpm", counts: "used" })) ?? 0,
        tokens: kept.get(nameOf({ nodeId, dimension: "tpm", counts: "used" })) ?? 0,
      }),
    },
  };
}

/** The sheet of a path of a minute of which only the uses were known, and what it holds. */
export function sheetOf(
  path: RatePath,
  { plan, usage }: { readonly plan: RatePlan; readonly usage: ReadonlyMap<string, RateUsage> },
): { readonly sheet: RateSheet; readonly amounts: readonly number[] } {
  const minute = keptMinute(usage);
  minute.rebuild(plan);
  const sheet = layOutRates(path);
  return { sheet, amounts: minute.amountsOf(sheet) };
}
