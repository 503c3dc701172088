import { join } from "node:path";
import { readFileSync, readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAttempts } from "../server/session/attempts.js";
import { createHostCheck } from "../server/session/hostCheck.js";
import { originFault } from "../server/session/originFault.js";
import { sessionCookie, sessionIdsOf } from "../server/session/sessionCookie.js";
import { createSessions } from "../server/session/sessions.js";
import { createSignInCode } from "../server/session/signInCode.js";
import { describeEachDatabase } from "./describeEachDatabase.js";
import { openSqliteTables } from "./openTables.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const asked = (headers: Record<string, string>, localPort = 8787) => ({ headers, socket: { localPort } });

describe("a Host is the gateway's own", () => {
  const onLoopback = createHostCheck({ host: "127.0.0.1", onLoopback: true, publicHosts: ["quota.example"] });
  const everywhere = createHostCheck({ host: "box.lan", onLoopback: false, publicHosts: ["quota.example"] });
  const isOurs = (check: typeof everywhere, host: string) => check.isOurs(asked({ host }));

  test.each([
    ["localhost:8787", "yes", "yes"],
    ["LOCALHOST:8787", "yes", "yes"],
    ["127.0.0.1:8787", "yes", "yes"],
    ["[::1]:8787", "yes", "yes"],
    ["quota.example", "yes", "yes"],
    ["Quota.Example:8443", "yes", "yes"],
    ["localhost:8788", "no", "yes"],
    ["localhost", "no", "yes"],
    ["192.168.1.7:8787", "no", "yes"],
    ["box.lan:8787", "no", "yes"],
    ["evil.example:8787", "no", "no"],
    ["evil.localhost:8787", "no", "no"],
    ["localhost.:8787", "no", "no"],
    ["localhost.evil.example:8787", "no", "no"],
    ["127.0.0.1.nip.example:8787", "no", "no"],
    ["x.quota.example", "no", "no"],
    ["localhost:8787@evil.example", "no", "no"],
    ["evil.example/localhost:8787", "no", "no"],
    ["localhost:8787 evil.example", "no", "no"],
    ["[localhost]:8787", "no", "no"],
    ["localhost:", "no", "no"],
    ["", "no", "no"],
  ])("%j: %s where only this machine can reach it, %s where others can", (host, here, there) => {
    expect(isOurs(onLoopback, host)).toBe(here === "yes");
    expect(isOurs(everywhere, host)).toBe(there === "yes");
  });

  test("without a port where that is the usual one, by TLS or not", () => {
    expect(onLoopback.isOurs(asked({ host: "localhost" }, 80))).toBe(true);
    expect(onLoopback.isOurs(asked({ host: "localhost" }, 443))).toBe(false);
    expect(onLoopback.isOurs(asked({ host: "localhost", "x-forwarded-proto": "https" }, 443))).toBe(true);
  });

  test("as HOST names it, even when that is another loopback address", () => {
    const other = createHostCheck({ host: "127.0.0.5", onLoopback: true, publicHosts: [] });
    expect(isOurs(other, "127.0.0.5:8787")).toBe(true);
    expect(other.isLoopback(asked({ host: "127.0.0.5:8787" }))).toBe(true);
  });

  test("but it is this machine itself only under a name that no proxy has", () => {
    const isLoopback = (check: typeof everywhere, host: string) => check.isLoopback(asked({ host }));
    expect(isLoopback(onLoopback, "localhost:8787")).toBe(true);
    expect(isLoopback(onLoopback, "quota.example")).toBe(false);
    expect(isLoopback(everywhere, "localhost:8787")).toBe(false);
  });

  test("whatever is asked, never unless the name is known or a number", () => {
    fc.assert(
      fc.property(fc.domain(), fc.nat(65_535), (name, port) => {
        fc.pre(!["localhost", "quota.example", "box.lan"].includes(name));
        expect(isOurs(onLoopback, `${name}:${port}`) || isOurs(everywhere, `${name}:${port}`)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a request that changes something", () => {
  const host = "localhost:8787";
  test.each<[string, Record<string, string>, "fine" | "at fault"]>([
    ["from our own page", { origin: "http://localhost:8787", "sec-fetch-site": "same-origin" }, "fine"],
    ["from our own page in a browser of old", { origin: "http://localhost:8787" }, "fine"],
    ["from another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, "at fault"],
    ["from another port", { origin: "http://localhost:3000", "sec-fetch-site": "same-site" }, "at fault"],
    ["from another port, in a browser of old", { origin: "http://localhost:3000" }, "at fault"],
    ["by another name of this machine", { origin: "http://127.0.0.1:8787" }, "at fault"],
    ["by TLS where we have none", { origin: "https://localhost:8787" }, "at fault"],
    ["from a sandbox", { origin: "null", "sec-fetch-site": "cross-site" }, "at fault"],
    ["typed in", { "sec-fetch-site": "none" }, "at fault"],
    ["whose origin is none", { origin: host, "sec-fetch-site": "same-origin" }, "at fault"],
    ["whose headers contradict", { origin: `http://${host}`, "sec-fetch-site": "same-site" }, "at fault"],
    ["with no origin at all", {}, "at fault"],
  ])("%s is %s", (_name, headers, verdict) => {
    const fault = originFault(asked({ host, ...headers }), { needed: true });
    expect(fault === undefined ? "fine" : "at fault").toBe(verdict);
    expect(fault ?? "…").toMatch(/…|Sec-Fetch-Site|Origin/u);
  });

  test("behind a proxy that speaks TLS has its origin, if the proxy says so", () => {
    const headers = { host: "quota.example", origin: "https://quota.example" };
    expect(originFault(asked(headers), { needed: true })).toContain("X-Forwarded-Proto");
    expect(
      originFault(asked({ ...headers, "x-forwarded-proto": "https" }), { needed: true }),
    ).toBeUndefined();
    expect(
      originFault(asked({ ...headers, origin: "http://quota.example", "x-forwarded-proto": "https" }), {
        needed: true,
      }),
    ).toBeDefined();
  });

  test("says nothing of its origin: so do scripts, which need not where there is no session", () => {
    expect(originFault(asked({ host }), { needed: false })).toBeUndefined();
    expect(originFault(asked({ host, origin: "https://evil.example" }), { needed: false })).toBeDefined();
  });
});

describe("who guesses is slowed", () => {
  function started() {
    const clock = { now: 1_000_000 };
    const attempts = createAttempts(() => clock.now);
    const attempt = (isRight: boolean, address = "192.0.2.1") => {
      const told = attempts.attempt(address, () => isRight);
      return told.kind === "slowed" ? told.retryAfterS : told.kind;
    };
    return { clock, attempts, attempt };
  }
  const wrong = Array<string>(5).fill("wrong");

  test("after five wrong ones: the sixth waits a second, then twice as long each time, up to a minute", () => {
    const { clock, attempt } = started();
    expect(Array.from({ length: 5 }, () => attempt(false))).toEqual(wrong);
    expect(attempt(false)).toBe(1);
    clock.now += SECOND;
    const waits: unknown[] = [];
    for (let i = 0; i < 8; i += 1) {
      const told = attempt(false);
      waits.push(told);
      clock.now += Number(told) * SECOND;
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("even when it is right meanwhile; after the wait it is taken, and the past is forgotten", () => {
    const { clock, attempt } = started();
    for (let i = 0; i < 5; i += 1) attempt(false);
    expect(attempt(true)).toBe(1);
    clock.now += SECOND - 1;
    expect(attempt(true)).toBe(1);
    clock.now += 1;
    expect(attempt(true)).toBe("right");
    expect(Array.from({ length: 5 }, () => attempt(false))).toEqual(wrong);
  });

  test("and is not looked at in the meantime, nor does it wait longer for trying", () => {
    const { clock, attempts, attempt } = started();
    for (let i = 0; i < 5; i += 1) attempt(false);
    let looked = 0;
    for (let i = 0; i < 50; i += 1) attempts.attempt("192.0.2.1", () => (looked += 1) > 0);
    expect(looked).toBe(0);
    clock.now += SECOND;
    expect(attempt(true)).toBe("right");
  });

  test("only for wrong ones within a minute, and for a minute after the last wait", () => {
    const { clock, attempt } = started();
    for (let i = 0; i < 20; i += 1) {
      expect(attempt(false)).toBe("wrong");
      clock.now += 15 * SECOND;
    }
    for (let i = 0; i < 5; i += 1) attempt(false);
    clock.now += SECOND + MINUTE;
    expect(attempt(false)).toBe("wrong");
  });

  test("alone: other addresses are not, but all of one IPv6 network are one", () => {
    const { attempt } = started();
    for (let i = 0; i < 5; i += 1) attempt(false);
    expect(attempt(false, "::ffff:192.0.2.1")).toBe(1);
    expect(attempt(true, "192.0.2.2")).toBe("right");
    for (let i = 0; i < 5; i += 1) attempt(false, `2001:db8:0:7::${i}`);
    expect(attempt(true, "2001:db8::7:1:2:3:4")).toBe(1);
    expect(attempt(true, "2001:db8:0:8::1")).toBe("right");
  });

  test("no longer than a minute, wherever the clock is put", () => {
    const { clock, attempt } = started();
    for (let i = 0; i < 5; i += 1) attempt(false);
    clock.now -= HOUR;
    expect(attempt(true)).toBe("right");
  });

  test("and who was wrong long ago is forgotten rather than remembered without bounds", () => {
    const { attempt } = started();
    for (let i = 0; i < 5; i += 1) attempt(false);
    for (let i = 0; i < 10_000; i += 1) attempt(false, `10.0.${i >> 8}.${i & 255}`);
    expect(attempt(true)).toBe("right");
  });

  test("never before five wrong ones, whoever does what when", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2), fc.boolean(), fc.nat(20 * SECOND)), { maxLength: 60 }),
        (events) => {
          const { clock, attempt } = started();
          const since = new Map<number, number>();
          for (const [who, isRight, later] of events) {
            clock.now += later;
            const told = attempt(isRight, `192.0.2.${who}`);
            if ((since.get(who) ?? 0) < 5) expect(told).toBe(isRight ? "right" : "wrong");
            if (typeof told === "number") expect(told).toBeLessThanOrEqual(60);
            if (told === "right") since.delete(who);
            else if (told === "wrong") since.set(who, (since.get(who) ?? 0) + 1);
          }
        },
      ),
    );
  });
});

describe("the printed code", () => {
  test("is good once, for a day, and for nobody who has another one", () => {
    const clock = { now: 5 };
    const code = createSignInCode(() => clock.now);
    expect(code.text).toMatch(/^[\w-]{43}$/u);
    expect(code.take("")).toBe(false);
    expect(code.take(createSignInCode(() => 5).text)).toBe(false);
    clock.now += DAY - 1;
    expect(code.take(code.text)).toBe(true);
    expect(code.take(code.text)).toBe(false);
    code.putBack();
    expect(code.take(code.text)).toBe(true);
    code.putBack();
    clock.now += 1;
    expect(code.take(code.text)).toBe(false);
  });
});

describeEachDatabase("a session", (open) => {
  test("ends twelve hours after its last use, and a week after it began", async () => {
    const sessions = createSessions((await open()).sessions, "token", unwritten);
    const { id } = await sessions.begin(0);
    expect(await sessions.use(id, 0)).toBe(12 * HOUR);
    expect(await sessions.use(id, 11 * HOUR)).toBe(23 * HOUR);
    expect(await sessions.use(id, 23 * HOUR - 1)).toBe(35 * HOUR - 1);
    expect(await sessions.use(id, 35 * HOUR - 1)).toBeUndefined();

    const used = await sessions.begin(0);
    for (let at = 0; at < 7 * DAY; at += 10 * HOUR)
      expect(await sessions.use(used.id, at)).toBe(Math.min(at + 12 * HOUR, 7 * DAY));
    expect(await sessions.use(used.id, 7 * DAY - 1)).toBe(7 * DAY);
    expect(await sessions.use(used.id, 7 * DAY)).toBeUndefined();
  });

  test("is as good as it was while its last use cannot be written", async () => {
    const { sessions: rows } = await open();
    const { id } = await createSessions(rows, "token", unwritten).begin(0);
    const said: unknown[] = [];
    const full = new Error("database or disk is full");
    const sessions = createSessions(
      { ...rows, use: () => Promise.reject(full) },
      "token",
      (error) => void said.push(error),
    );
    expect(await sessions.use(id, HOUR)).toBe(12 * HOUR);
    expect(said).toEqual([full]);
    expect(await sessions.use(id, 12 * HOUR)).toBeUndefined();
  });

  test("that is polled writes once a minute", async () => {
    const { sessions: rows } = await open();
    const written: number[] = [];
    const use: typeof rows.use = (hash, at) => {
      written.push(at);
      return rows.use(hash, at);
    };
    const sessions = createSessions({ ...rows, use }, "token", unwritten);
    const { id } = await sessions.begin(0);
    for (let at = 0; at < MINUTE; at += 5 * SECOND) await sessions.use(id, at);
    expect(written).toEqual([]);
    expect(await sessions.use(id, MINUTE)).toBe(MINUTE + 12 * HOUR);
    expect(written).toEqual([MINUTE]);
  });

  test("is known to every process on the file, and ended for all of them", async () => {
    const opened = await open();
    const here = createSessions(opened.sessions, "token", unwritten);
    const there = createSessions((await opened.another()).sessions, "token", unwritten);
    const { id } = await here.begin(0);
    expect(await there.use(id, 1)).toBeDefined();
    await there.end(id);
    expect(await here.use(id, 1)).toBeUndefined();
  });

  test("is nothing under another admin token", async () => {
    const { sessions: rows } = await open();
    const { id } = await createSessions(rows, "token", unwritten).begin(0);
    expect(await createSessions(rows, "another", unwritten).use(id, 1)).toBeUndefined();
  });

  test("that is over leaves no row once somebody signs in", async () => {
    const { sessions: rows } = await open();
    const added: Buffer[] = [];
    const add: typeof rows.add = (hash, ...more) => {
      added.push(hash);
      return rows.add(hash, ...more);
    };
    const sessions = createSessions({ ...rows, add }, "token", unwritten);
    for (let i = 0; i < 3; i += 1) await sessions.begin(i);
    const { id } = await sessions.begin(12 * HOUR + 1);
    const there = await Promise.all(added.map((hash) => rows.find(hash)));
    expect(there.map((row) => row?.begunAt)).toEqual([undefined, undefined, 2, 12 * HOUR + 1]);
    expect(await sessions.use(id, 12 * HOUR + 1)).toBeDefined();
  });
});

test("a session's own id is nowhere on the disk", async () => {
  const directory = temporaryDirectory();
  const { sessions: rows } = await openSqliteTables(directory);
  const { id } = await createSessions(rows, "token", unwritten).begin(0);
  for (const name of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (name.isFile()) {
      const bytes = readFileSync(join(name.parentPath, name.name));
      expect(bytes.includes(id) || bytes.includes(Buffer.from(id, "base64url"))).toBe(false);
    }
});

describe("a session's cookie", () => {
  const id = "a".repeat(43);

  test("is out of reach of scripts and of other sites, names the port, and is Secure where TLS is spoken", () => {
    expect(sessionCookie(asked({}), { id, maxAgeS: 60 })).toBe(
      `quota_session_8787=${id}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict`,
    );
    expect(sessionCookie(asked({ "x-forwarded-proto": "https" }, 9000), { id: "", maxAgeS: 0 })).toBe(
      "quota_session_9000=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure",
    );
  });

  const b = "b".repeat(43);
  const planted = (i: number): string => String(i).padStart(43, "p");
  test.each<[string, string, readonly string[]]>([
    ["among others", `theme=dark; quota_session_8787=${id}; x=1`, [id]],
    ["of another port", `quota_session_8788=${id}`, []],
    ["twice", `quota_session_8787=${id}; quota_session_8787=${b}`, [id, b]],
    ["behind one that was planted", `quota_session_8787=no; quota_session_8787=${b}`, [b]],
    ["many times, once", Array(200).fill(`quota_session_8787=${id}`).join(";"), [id]],
    [
      "behind as many planted ones as headers have room for",
      [...Array.from({ length: 200 }, (_, i) => planted(i)), id]
        .map((one) => `quota_session_8787=${one}`)
        .join(";"),
      [...Array.from({ length: 200 }, (_, i) => planted(i)), id],
    ],
    ["too long", `quota_session_8787=${"a".repeat(10_000)}`, []],
    ["in quotes", `quota_session_8787="${id}"`, []],
    ["with control characters", `quota_session_8787=${id}\u0000; quota_session_8787=\u0007${id}`, []],
    ["in another case", `QUOTA_SESSION_8787=${id}`, []],
    ["without a value", "quota_session_8787; =; ;;", []],
    ["under a name of an object", "__proto__=1; constructor=1", []],
  ])("%s", (_name, cookie, ids) => {
    expect(sessionIdsOf(asked({ cookie }))).toEqual(ids);
  });

  test("whatever a browser sends, an id has the shape of one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const cookie = `${text}; quota_session_8787=${text}`;
        for (const found of sessionIdsOf(asked({ cookie }))) expect(found).toMatch(/^[\w-]{43}$/u);
      }),
    );
  });
});

function unwritten(error: unknown): void {
  throw error;
}
