import { parsePoolTerms, type Fault } from "@quota/core";
import { misfits, type PlanBook } from "./planBook.js";

/** Everything that is wrong with what a pool says, its caps under the plan of its connection included. */
export async function poolFaults(input: unknown, planBook: PlanBook): Promise<readonly Fault[]> {
  const terms = parsePoolTerms(input);
  if (!terms.ok) return terms.faults;
  return misfits(terms.value, await planBook.planOf(terms.value.connectionId));
}
