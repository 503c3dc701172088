import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Seals texts with one key, each for the place it is kept in: what was sealed for one place does not open in another. */
export interface SecretBox {
  seal(text: string, place: string): Buffer;
  /** @throws {Error} for what was sealed with another key or for another place, and for what was changed since. */
  open(sealed: Buffer, place: string): string;
}

/** AES-256-GCM: one byte that says so, 12 random ones that never come again, 16 that vouch for it all, and the text. */
export function createSecretBox(key: Buffer): SecretBox {
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, place) {
      if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE + TAG)
        throw new Error("what is kept there is no sealed secret");
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 1 + NONCE))
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(1 + NONCE, 1 + NONCE + TAG));
      const body = sealed.subarray(1 + NONCE + TAG);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    },
  };
}

const FORMAT = 1;
const NONCE = 12;
const TAG = 16;
