import { randomBytes, scrypt, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";
import type { PostgresDatabase } from "@quota/postgres";
import { StartError } from "../startError.js";
import { createSecretBox, type SecretBox } from "./createSecretBox.js";

/**
 * The box for the secrets in a database. The first gateway that opens it leaves something sealed there, by which the others see that they have the same
 * key before they read or write anything with it.
 *
 * @throws {StartError} for another key than the database's.
 */
export async function openSecretBox(
  db: Pick<PostgresDatabase, "rows" | "place">,
  secretsKey: string,
): Promise<SecretBox> {
  const known = await keptKey(db);
  if (known !== undefined) return proven(await boxOf(secretsKey, known.salt), known, db.place);
  const salt = randomBytes(16);
  const proof = (await boxOf(secretsKey, salt)).seal(PROOF, PROOF);
  await db.rows("INSERT INTO gateway_secrets_key (salt, proof) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
    salt,
    proof,
  ]);
  // A neighbour may have been first.
  const kept = (await keptKey(db))!;
  return proven(await boxOf(secretsKey, kept.salt), kept, db.place);
}

interface KeptKey {
  readonly salt: Buffer;
  readonly proof: Buffer;
}

const PROOF = "the key of this database";

async function keptKey(db: Pick<PostgresDatabase, "rows">): Promise<KeptKey | undefined> {
  return (await db.rows<KeptKey>("SELECT salt, proof FROM gateway_secrets_key"))[0];
}

function proven(box: SecretBox, { proof }: KeptKey, place: string): SecretBox {
  try {
    box.open(proof, PROOF);
    return box;
  } catch (cause) {
    throw new StartError(
      `QUOTA_SECRETS_KEY is not the key that the secrets in the database ${place} are sealed with; set the one that the other gateways have.`,
      { cause },
    );
  }
}

/** 32 bytes in base64 are the key; any other text is a passphrase, which scrypt makes one of. */
async function boxOf(secretsKey: string, salt: Buffer): Promise<SecretBox> {
  const bytes = /^[\w+/-]{43}=?$/u.test(secretsKey) ? Buffer.from(secretsKey, "base64") : undefined;
  return createSecretBox(bytes?.length === 32 ? bytes : await stretched(secretsKey, salt, 32, SCRYPT));
}

const stretched = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 64 MB and a fraction of a second for every guess, once a start. */
const SCRYPT: ScryptOptions = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
