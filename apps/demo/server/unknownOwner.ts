import type { Fault } from "@quota/core";

/** A team or an organisation that is named and is not there. */
export function unknownOwner(what: "organisation" | "team", id: string): Fault {
  const path = what === "team" ? "teamId" : "orgId";
  const message = `${path} names the ${what} ${JSON.stringify(id)}, which there is not; make it first, or spell it right.`;
  return { path, code: `unknown-${what}`, message };
}
