import type { ProviderReading } from "@quota/core";

/** Names the limit that a reading is of, within its connection: of two readings with one name the newer counts. */
export function limitOfReading({ unit, window, scope }: ProviderReading): string {
  return JSON.stringify([unit, window, scope]);
}
