/** The paths of the fields that the form of a team or an organisation shows. */
export function ownerPaths(kind: "organisation" | "team"): readonly string[] {
  return kind === "team" ? ["name", "orgId", "rpm", "tpm"] : ["name", "rpm", "tpm"];
}
