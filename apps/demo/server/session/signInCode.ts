import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** What the printed link carries: it opens one session, once. */
export interface SignInCode {
  readonly text: string;
  /** Whether this is the code, still good; from then on it is not. Of two that come at once, one has it. */
  take(given: string): boolean;
  /** For whoever took it and could not begin a session: it is good again. */
  putBack(): void;
}

/** The code is seen in terminals, their scrollback and logs of a service: it does not stay good for long. */
const LIVES_MS = 24 * 3_600_000;

/** A code of 256 random bits, compared in constant time. It is kept in memory: each start has its own. */
export function createSignInCode(now: () => number): SignInCode {
  const text = randomBytes(32).toString("base64url");
  const expected = hashOf(text);
  const goodUntil = now() + LIVES_MS;
  let isTaken = false;
  return {
    text,
    take(given) {
      const isRight = timingSafeEqual(hashOf(given), expected) && !isTaken && now() < goodUntil;
      if (isRight) isTaken = true;
      return isRight;
    },
    putBack() {
      isTaken = false;
    },
  };
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
