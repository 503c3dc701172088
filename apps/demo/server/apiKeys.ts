import { hash, randomBytes } from "node:crypto";
import { InvalidInputError } from "@quota/engine";
import { changedPlace, NO_PLACE, type KeyPlace, type KeyPlaceAsked } from "./keyPlace.js";
import type { RateForest } from "./rateForest.js";
import type { GatewayRows, GatewayTables, StoredKey } from "./tables/gatewayTables.js";
import { orgOf } from "./tables/orgOf.js";

/** A key as the API shows it. The secret is not in it: only its hash is kept. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  /** A demo key: valid only while the gateway is bound to a loopback address. */
  readonly loopbackOnly: boolean;
  readonly createdAt: string;
}

/** A key with what it belongs to and its own limits. */
export interface PlacedApiKey extends ApiKey, KeyPlace {
  /** Grows with every change of its name, its place or its limits; what an edit was based on. */
  readonly version: number;
  /** From 0: the smallest that no other key had when it was made. It stays as long as the key is there: what a page makes the key's colour of. */
  readonly ordinal: number;
}

/** A key with its secret, which is shown this once. */
export type NewApiKey = PlacedApiKey & { readonly secret: string };

/** The API keys of the gateway's clients, in the gateway's database. */
export interface ApiKeys {
  /** Whose secret this is, disabled or not; undefined when it is nobody's. */
  ofSecret(secret: string): ApiKey | undefined;
  get(id: string): PlacedApiKey | undefined;
  list(): readonly PlacedApiKey[];
  /**
   * @returns undefined when the id is taken. `demoSecret` is for demo keys alone; other secrets are generated.
   * @throws {InvalidInputError} for a team or organisation that is not there, or that contradict each other.
   */
  create(
    key: KeyPlaceAsked & {
      readonly id: string;
      readonly name?: string | undefined;
      readonly demoSecret?: string | undefined;
    },
    now: number,
  ): Promise<NewApiKey | undefined>;
  /**
   * @returns the key as it is now; `"stale"`, and nothing is written, when `ifVersion` is not its version any more.
   * @throws {InvalidInputError} as {@link ApiKeys.create} does.
   */
  update(
    id: string,
    change: KeyPlaceAsked & { readonly name?: string | undefined },
    ifVersion?: number,
  ): Promise<PlacedApiKey | "stale" | undefined>;
  /** A new secret for the key; the old one is void at once. */
  rotate(id: string): Promise<NewApiKey | undefined>;
  setDisabled(id: string, disabled: boolean): Promise<PlacedApiKey | undefined>;
  delete(id: string): Promise<boolean>;
}

/**
 * Keeps API keys by the hash of their secrets. A lookup compares hashes through an index: what its duration
 * could tell is about the hash of a guess, never about a secret.
 */
export function createApiKeys(
  { rows, write }: Pick<GatewayTables, "rows" | "write">,
  forest: RateForest,
): ApiKeys {
  /** Of keys that have been used, as they are shown. */
  const used = new WeakMap<StoredKey, ApiKey>();

  function ofSecret(secret: string): ApiKey | undefined {
    const row = rows.keyOfSecret(hashOf(secret));
    if (row === undefined) return undefined;
    const known = used.get(row);
    if (known !== undefined) return known;
    const key = keyOf(row);
    used.set(row, key);
    return key;
  }

  return {
    ofSecret,
    get: (id) => placedOr(rows.keys.get(id), rows),
    list: () => rows.keys.list().map((row) => placed(row, rows)),
    create({ id, name = id, demoSecret, ...asked }, now) {
      const secret = demoSecret ?? newSecretText();
      return forest.write((inside, touch) => {
        const at = placedAt(NO_PLACE, asked, inside);
        if (inside.keys.get(id) !== undefined) return undefined;
        const made: StoredKey = {
          id,
          name,
          ...storedPlace(at),
          secretHash: hashOf(secret).toString("hex"),
          disabled: false,
          loopbackOnly: demoSecret !== undefined,
          ordinal: inside.freeOrdinal(),
          version: 1,
          createdAt: now,
        };
        inside.keys.put(made);
        if (isSomewhere(at)) touch();
        return { ...placed(made, inside), secret };
      });
    },
    update: (id, { name, ...asked }, ifVersion) =>
      forest.write((inside, touch) => {
        const before = inside.keys.get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        const after = {
          ...before,
          ...storedPlace(placedAt(placed(before, inside), asked, inside)),
          name: name ?? before.name,
          version: before.version + 1,
        };
        inside.keys.put(after);
        touch();
        return placed(after, inside);
      }),
    rotate(id) {
      const secret = newSecretText();
      return write((inside) => {
        const before = inside.keys.get(id);
        if (before === undefined) return undefined;
        // A key that gets a secret of its own is no demo key any more.
        const after = { ...before, secretHash: hashOf(secret).toString("hex"), loopbackOnly: false };
        inside.keys.put(after);
        return { ...placed(after, inside), secret };
      });
    },
    setDisabled: (id, disabled) =>
      write((inside) => {
        const before = inside.keys.get(id);
        if (before === undefined) return undefined;
        const after = { ...before, disabled };
        inside.keys.put(after);
        return placed(after, inside);
      }),
    delete: (id) =>
      forest.write((inside, touch) => {
        const before = inside.keys.get(id);
        if (before === undefined) return false;
        if (isSomewhere(placed(before, inside))) touch();
        return inside.keys.delete(id);
      }),
  };
}

function placedAt(before: KeyPlace, asked: KeyPlaceAsked, { teams, organisations }: GatewayRows): KeyPlace {
  const changed = changedPlace(before, asked, { team: teams.get, organisation: organisations.get });
  if (!changed.ok) throw new InvalidInputError(changed.faults);
  return changed.value;
}

function storedPlace({ teamId, orgId, rpm, tpm }: KeyPlace) {
  return { teamId, ownOrgId: teamId === null ? orgId : null, rpm, tpm };
}

function keyOf({ id, name, disabled, loopbackOnly, createdAt }: StoredKey): ApiKey {
  return { id, name, disabled, loopbackOnly, createdAt: new Date(createdAt).toISOString() };
}

function placed(row: StoredKey, { teams }: Pick<GatewayRows, "teams">): PlacedApiKey {
  const { teamId, rpm, tpm, version, ordinal } = row;
  return { ...keyOf(row), teamId, orgId: orgOf(row, teams), rpm, tpm, version, ordinal };
}

function placedOr(row: StoredKey | undefined, rows: Pick<GatewayRows, "teams">): PlacedApiKey | undefined {
  return row && placed(row, rows);
}

function isSomewhere({ teamId, orgId, rpm, tpm }: KeyPlace): boolean {
  return teamId !== null || orgId !== null || rpm !== null || tpm !== null;
}

function newSecretText(): string {
  return `sk-quota-${randomBytes(32).toString("base64url")}`;
}

function hashOf(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
