import type { ApiKey } from "../api/useKeys.js";
import { budgetChange, budgetFields, type BudgetFields } from "../budgets/budgetFields.js";
import { limitText } from "../rates/limitText.js";
import { parseLimit } from "../rates/parseLimit.js";

/** What a form has of a key, as it is typed. */
export type KeyFields = BudgetFields & Readonly<Record<"name" | "place" | "rpm" | "tpm", string>>;

export const NEW_KEY: KeyFields = {
  name: "",
  place: "",
  rpm: "none",
  tpm: "none",
  ...budgetFields({ budget: null }),
};

export function keyFields({ name, teamId, orgId, rpm, tpm, budget }: ApiKey): KeyFields {
  const place = teamId !== null ? `team:${teamId}` : orgId !== null ? `org:${orgId}` : "";
  return { name, place, rpm: limitText(rpm), tpm: limitText(tpm), ...budgetFields({ budget }) };
}

/** What is asked for: the fields that are not as they were. Of a team the organisation follows, so it is not named. */
export function keyChange(typed: KeyFields, before: KeyFields): Readonly<Record<string, unknown>> {
  const isTyped = (field: keyof KeyFields): boolean => typed[field] !== before[field];
  return {
    ...(isTyped("name") && { name: typed.name }),
    ...(isTyped("place") && placeChange(typed.place)),
    ...(isTyped("rpm") && { rpm: parseLimit(typed.rpm) }),
    ...(isTyped("tpm") && { tpm: parseLimit(typed.tpm) }),
    ...budgetChange(typed, before),
  };
}

function placeChange(place: string): Readonly<Record<string, string | null>> {
  if (place.startsWith("team:")) return { teamId: place.slice("team:".length) };
  return { teamId: null, orgId: place.startsWith("org:") ? place.slice("org:".length) : null };
}
