import { idFault, type Amounts } from "@quota/core";
import { InvalidInputError } from "@quota/engine";
import { parseEstimateQuery } from "@quota/http";

/**
 * A request that somebody asks about in a query: ids under these names, and what it is estimated to cost.
 *
 * @throws {InvalidInputError} with every fault.
 */
export function askedInQuery<Name extends string>(
  query: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { readonly ids: Readonly<Record<Name, string>>; readonly estimate: Amounts } {
  const estimate = parseEstimateQuery(query);
  const badIds = names.map((name) => idFault(query[name], name)).filter((fault) => fault !== undefined);
  if (!estimate.ok || badIds.length > 0)
    throw new InvalidInputError([...badIds, ...(estimate.ok ? [] : estimate.faults)]);
  return { ids: query as Readonly<Record<Name, string>>, estimate: estimate.value };
}
