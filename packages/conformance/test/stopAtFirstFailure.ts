import fc from "fast-check";
import { afterAll, beforeAll } from "vitest";

/**
 * Within a suite of stores that are broken on purpose: that a check fails is all that is asked, and nobody reads the smallest history in which it
 * does, which takes longer to find than the failure.
 */
export function stopAtFirstFailure(parameters: { readonly seed?: number } = {}): void {
  beforeAll(() => fc.configureGlobal({ ...parameters, endOnFailure: true }));
  afterAll(() => fc.resetConfigureGlobal());
}
