import type { SubjectKind } from "@quota/core";

/** The columns of `spend_accounts` that hold the payer of a kind. */
export const PAYER_COLUMNS: Readonly<Record<SubjectKind, string>> = {
  key: "key_id",
  team: "team_id",
  user: "user_id",
  organisation: "organisation_id",
  project: "project_id",
};
