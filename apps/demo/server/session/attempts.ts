import { isIPv6 } from "node:net";

export type Attempt =
  | { readonly kind: "right" }
  | { readonly kind: "wrong" }
  /** It was not even looked at, or was wrong again. */
  | { readonly kind: "slowed"; readonly retryAfterS: number };

/** Slows down whoever guesses tokens or codes. */
export interface Attempts {
  /** Looks whether what this address has given is right, unless it has to wait. */
  attempt(address: string | undefined, isRight: () => boolean): Attempt;
}

const FREE = 5;
const WITHIN_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;
const MOST_ADDRESSES = 10_000;

/**
 * Five wrong ones from an address within a minute cost it a second's wait, and each further one a wait twice as long, up to a minute. A
 * minute after a wait everything is forgotten; so it is after something right. What comes while it must wait costs it nothing more, so that two
 * who share an address do not lock each other out for good. Memory is bounded: beyond ten thousand addresses the one that went wrong longest ago is forgotten.
 */
export function createAttempts(now: () => number): Attempts {
  /** The address that went wrong last is last. */
  const seen = new Map<string, Seen>();

  function wrong(who: string, before: Seen | undefined): Attempt {
    const at = now();
    const after = afterWrong(before, at);
    seen.delete(who);
    const [oldest] = seen.keys();
    if (oldest !== undefined && seen.size >= MOST_ADDRESSES) seen.delete(oldest);
    seen.set(who, after);
    // The fifth is still told that it was wrong; those after it, only that they have to wait.
    if (after.wrongAt.length > 0) return { kind: "wrong" };
    return { kind: "slowed", retryAfterS: after.waitMs / 1_000 };
  }

  return {
    attempt(address, isRight) {
      const who = placeOf(address ?? "");
      const before = seen.get(who);
      const waitsMs = before === undefined ? 0 : before.until - now();
      // Nor is a right one looked at: else guessing would go on at full speed, and only the answers to wrong guesses would be slow.
      // (A longer wait than there is: the clock was put back.)
      if (waitsMs > 0 && waitsMs <= LONGEST_WAIT_MS)
        return { kind: "slowed", retryAfterS: Math.ceil(waitsMs / 1_000) };
      if (!isRight()) return wrong(who, before);
      if (before !== undefined) seen.delete(who);
      return { kind: "right" };
    },
  };
}

interface Seen {
  /** The moments of those that were free, within the last minute; empty once they are used up. */
  readonly wrongAt: readonly number[];
  /** The last wait, and when it ends. */
  readonly waitMs: number;
  readonly until: number;
}

function afterWrong(before: Seen | undefined, at: number): Seen {
  if (before !== undefined && before.waitMs > 0 && at - before.until < WITHIN_MS) {
    const waitMs = Math.min(2 * before.waitMs, LONGEST_WAIT_MS);
    return { wrongAt: [], waitMs, until: at + waitMs };
  }
  const wrongAt = [...(before?.waitMs === 0 ? before.wrongAt : []), at].filter(
    (moment) => at - moment < WITHIN_MS,
  );
  const waitMs = wrongAt.length < FREE ? 0 : 1_000;
  return { wrongAt, waitMs, until: at + waitMs };
}

/** An IPv4 address, or the /64 of an IPv6 address: whoever has one address of it has all of them. */
function placeOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(zeros).fill("0"), ...groups(tail ?? "")].slice(0, 4).join(":");
}
