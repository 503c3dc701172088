import { StoreError } from "@quota/engine";

/**
 * The additions of a verdict, if they fit the amounts it was shown.
 *
 * @throws {TypeError} for additions that are not one whole number per counter. @throws {StoreError} for a sum past 2^53 − 1.
 */
export function checkedAdditions(additions: unknown, amounts: readonly number[]): readonly number[] {
  if (!Array.isArray(additions) || additions.length !== amounts.length)
    throw new TypeError(`decide must return ${String(amounts.length)} additions, one for each counter.`);
  for (let i = 0; i < amounts.length; i += 1) {
    const addition: unknown = additions[i];
    if (typeof addition !== "number" || !Number.isSafeInteger(addition))
      throw new TypeError(`additions[${String(i)}] is ${String(addition)}; decide must add whole numbers.`);
    if (!Number.isSafeInteger(amounts[i]! + addition))
      throw new StoreError(`additions[${String(i)}] would take the counter past 2^53 − 1.`, {
        applied: "no",
      });
  }
  return additions as readonly number[];
}
