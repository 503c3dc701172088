import { createHash } from "node:crypto";
import type { GatewayConfig } from "./gatewayConfig.js";

/** What gateways compare, part by part, under the word that a sentence has for it. */
export type ConfigHashes = Readonly<Record<ConfigPart, string>>;

export const CONFIG_PARTS = ["connections", "plans", "pools", "keys", "settings"] as const;
export type ConfigPart = (typeof CONFIG_PARTS)[number];

/**
 * A hash per part of a configuration. When something was made or how often it was changed is nobody's concern; the life of a pool is, since
 * it names what is counted. `settings` are those on which the numbers depend, as they are in force.
 */
export function configHashes(
  config: GatewayConfig,
  settings: Readonly<Record<string, unknown>>,
): ConfigHashes {
  const { connections, plans, pools, keys, teams, organisations } = config;
  return {
    connections: hashOf(connections),
    plans: hashOf(plans),
    pools: hashOf(pools),
    keys: hashOf({ keys, teams, organisations }),
    settings: hashOf(settings),
  };
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("base64url").slice(0, 22);
}

const NOBODYS_CONCERN = new Set(["version", "createdAt", "secret"]);

/** The same text for the same content, in whatever order its members were written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([name, member]) => member !== undefined && !NOBODYS_CONCERN.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
