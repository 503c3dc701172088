import { PoolConflictError } from "@quota/engine";
import { expect } from "vitest";

/** Expects a write to be refused for the pool that stands in its way. */
export async function expectConflict(
  answer: Promise<unknown>,
  code: PoolConflictError["code"],
  existing: unknown,
): Promise<void> {
  const error: unknown = await answer.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PoolConflictError);
  expect(error).toMatchObject({ code });
  expect((error as PoolConflictError).existing).toEqual(existing);
}
