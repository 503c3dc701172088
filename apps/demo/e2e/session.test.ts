import { mkdirSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { brotliDecompressSync, brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

const HOUR = 3_600_000;
const TOKEN = "the-admin-token-of-the-tests";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** Says exactly these headers and this path: `fetch` would set its own Host, and tidy up the path. */
function raw(
  gateway: Pick<TestGateway, "url">,
  {
    method = "GET",
    path,
    headers = {},
    body,
  }: {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Record<string, string>;
    readonly body?: unknown;
  },
): Promise<Answer> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        const whole = Buffer.concat(pieces);
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: whole,
          text: whole.toString(),
        });
      });
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const codeOf = ({ signInLink }: TestGateway) => signInLink.split("#code=")[1]!;

/** As the gateway's own page does it. */
const fromPage = ({ url }: TestGateway) => ({ origin: url, "sec-fetch-site": "same-origin" });

async function signIn(gateway: TestGateway, body: unknown = { token: TOKEN }): Promise<string> {
  const answer = await raw(gateway, {
    method: "POST",
    path: "/api/session",
    headers: fromPage(gateway),
    body,
  });
  expect(answer.status, answer.text).toBe(204);
  return cookieIn(answer);
}

function cookieIn({ headers }: Answer): string {
  return headers["set-cookie"]![0]!.split(";")[0]!;
}

const problem = ({ headers, text }: Answer) => {
  expect(headers["content-type"]).toBe("application/problem+json");
  return (JSON.parse(text) as { readonly detail: string }).detail;
};

const stateOf = async (gateway: TestGateway, cookie: string) =>
  JSON.parse((await raw(gateway, { path: "/api/session", headers: { cookie } })).text) as unknown;

describe("signing in", () => {
  test("with the printed link's code gives a cookie that opens everything below /api", async () => {
    const gateway = await startTestGateway();
    expect(gateway.signInLink).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/sign-in#code=[\w-]{43}$/u);
    const answer = await raw(gateway, {
      method: "POST",
      path: "/api/session",
      headers: fromPage(gateway),
      body: { code: codeOf(gateway) },
    });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const port = new URL(gateway.url).port;
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        new RegExp(
          `^quota_session_${port}=[\\w-]{43}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict$`,
          "u",
        ),
      ),
    ]);
    const cookie = cookieIn(answer);
    for (const path of ["/api/keys", "/api/quota/pools", "/api/settings/quota-store", "/api/config"]) {
      const got = await raw(gateway, { path, headers: { cookie } });
      expect([got.status, got.headers["cache-control"]]).toEqual([200, "no-store"]);
      expect((await raw(gateway, { method: "HEAD", path, headers: { cookie } })).status).toBe(200);
      expect((await raw(gateway, { path })).status).toBe(401);
    }
    const made = await raw(gateway, {
      method: "POST",
      path: "/api/keys",
      headers: { cookie, ...fromPage(gateway) },
      body: { id: "dora" },
    });
    expect(made.status).toBe(201);
  });

  test("with the code works once, even for two that come at the same moment; then it says what to do", async () => {
    const gateway = await startTestGateway();
    const post = () =>
      raw(gateway, { method: "POST", path: "/api/session", body: { code: codeOf(gateway) } });
    const [one, two] = await Promise.all([post(), post()]);
    expect([one.status, two.status].sort()).toEqual([204, 401]);
    const loser = one.status === 401 ? one : two;
    expect(problem(loser)).toMatch(/admin token.*start the gateway again/u);
    expect(loser.headers["set-cookie"]).toBeUndefined();
    expect((await post()).status).toBe(401);
  });

  test("with the code is over after a day", async () => {
    const clock = { now: Date.UTC(2026, 0, 15) };
    const gateway = await startTestGateway({ now: () => clock.now });
    clock.now += 24 * HOUR;
    const answer = await raw(gateway, {
      method: "POST",
      path: "/api/session",
      body: { code: codeOf(gateway) },
    });
    expect(answer.status).toBe(401);
  });

  test("with the admin token works as often as one likes; again ends the session before", async () => {
    const gateway = await startTestGateway();
    const first = await signIn(gateway);
    const again = await raw(gateway, {
      method: "POST",
      path: "/api/session",
      headers: { ...fromPage(gateway), cookie: first },
      body: { token: TOKEN },
    });
    expect(await stateOf(gateway, first)).toEqual({ signedIn: false });
    expect(await stateOf(gateway, cookieIn(again))).toMatchObject({ signedIn: true });
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a list", []],
    ["neither", {}],
    ["both", { code: "x", token: TOKEN }],
    ["a number", { token: 7 }],
    ["too much", { code: "x".repeat(5_000) }],
  ])("takes no body that is %s, and that is no attempt", async (_name, body) => {
    const gateway = await startTestGateway();
    for (let i = 0; i < 6; i += 1) {
      const answer = await raw(gateway, { method: "POST", path: "/api/session", body });
      expect([answer.status, problem(answer)]).toEqual([
        400,
        expect.stringMatching(/a code or a token|too long/u),
      ]);
    }
    await signIn(gateway);
  });
});

describe("a session", () => {
  test("says whether it is there and until when, to whoever has the cookie", async () => {
    const clock = { now: Date.UTC(2026, 0, 15) };
    const gateway = await startTestGateway({ now: () => clock.now });
    expect(await stateOf(gateway, "")).toEqual({ signedIn: false });
    const cookie = await signIn(gateway);
    expect(await stateOf(gateway, cookie)).toEqual({ signedIn: true, expiresAt: clock.now + 12 * HOUR });
    // Any use of it is one.
    clock.now += 11 * HOUR;
    await raw(gateway, { path: "/api/keys", headers: { cookie } });
    clock.now += 11 * HOUR;
    expect(await stateOf(gateway, cookie)).toMatchObject({ signedIn: true });
    clock.now += 12 * HOUR;
    expect(await stateOf(gateway, cookie)).toEqual({ signedIn: false });
    expect((await raw(gateway, { path: "/api/keys", headers: { cookie } })).status).toBe(401);
  });

  test("outlives a restart, and not another admin token", async () => {
    const dataDir = temporaryDirectory();
    const port = (gateway: TestGateway) => Number(new URL(gateway.url).port);
    const first = await startTestGateway({ dataDir });
    const cookie = await signIn(first);
    await first.stop(0);
    const second = await startTestGateway({ dataDir, settings: { port: port(first) } });
    expect(await stateOf(second, cookie)).toMatchObject({ signedIn: true });
    await second.stop(0);
    const third = await startTestGateway({ dataDir, settings: { port: port(first), adminToken: "another" } });
    expect(await stateOf(third, cookie)).toEqual({ signedIn: false });
    expect((await raw(third, { path: "/api/keys", headers: { cookie } })).status).toBe(401);
  });

  test("is gone on the server once somebody signs out", async () => {
    const gateway = await startTestGateway();
    const cookie = await signIn(gateway);
    const out = await raw(gateway, {
      method: "DELETE",
      path: "/api/session",
      headers: { cookie, ...fromPage(gateway) },
    });
    expect(out.status).toBe(204);
    expect(out.headers["set-cookie"]![0]).toMatch(
      /^quota_session_\d+=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/u,
    );
    expect((await raw(gateway, { path: "/api/keys", headers: { cookie } })).status).toBe(401);
    // Nothing to end is no fault.
    expect((await raw(gateway, { method: "DELETE", path: "/api/session" })).status).toBe(204);
  });

  test("of one gateway has nothing to do with another one's on the same host", async () => {
    const [one, two] = [await startTestGateway(), await startTestGateway()];
    const cookies = [await signIn(one), await signIn(two)];
    expect(new Set(cookies.map((cookie) => cookie.split("=")[0])).size).toBe(2);
    // As a browser sends them: both, to both.
    const cookie = cookies.join("; ");
    await raw(one, { method: "DELETE", path: "/api/session", headers: { cookie, ...fromPage(one) } });
    expect(await stateOf(one, cookie)).toEqual({ signedIn: false });
    expect(await stateOf(two, cookie)).toMatchObject({ signedIn: true });
  });

  test("is found behind cookies that were planted before it, and hostile ones are nobody's", async () => {
    const gateway = await startTestGateway();
    const cookie = await signIn(gateway);
    const [name] = cookie.split("=");
    const planted = `${name}=${"x".repeat(43)}; ${name}=; ${name}=${"é".repeat(20)}; ${cookie}`;
    expect(await stateOf(gateway, planted)).toMatchObject({ signedIn: true });
    for (const hostile of [`${name}=${"y".repeat(10_000)}`, `${name}=\u0001`, `${name}=' OR 1=1 --`, ";;=;"])
      expect(
        (await raw(gateway, { path: "/api/keys", headers: { cookie: hostile } }).catch(refusedByNode)).status,
      ).not.toBe(200);
    expect(await stateOf(gateway, cookie)).toMatchObject({ signedIn: true });
  });
});

/** Node's client does not even send control characters; its server would refuse them. */
function refusedByNode(error: unknown): Pick<Answer, "status"> {
  expect(error).toMatchObject({ code: "ERR_INVALID_CHAR" });
  return { status: 400 };
}

describe("other people's pages", () => {
  test.each<[string, Record<string, string>]>([
    ["another site's", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["another port's", { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }],
    ["a sandboxed one's", { origin: "null" }],
    ["one that hides its origin", {}],
  ])("%s writes are refused, with why, and change nothing", async (_name, headers) => {
    const gateway = await startTestGateway();
    const cookie = await signIn(gateway);
    const tries: [string, string, unknown][] = [
      ["POST", "/api/keys", { id: "mallory" }],
      ["PUT", "/api/quota/plans/kimi-demo", { dimensions: [] }],
      ["PATCH", "/api/keys/alice", { name: "mallory" }],
      ["DELETE", "/api/keys/alice", undefined],
      ["DELETE", "/api/session", undefined],
    ];
    for (const [method, path, body] of tries) {
      const answer = await raw(gateway, { method, path, headers: { cookie, ...headers }, body });
      expect([answer.status, problem(answer)]).toEqual([
        403,
        expect.stringMatching(/Origin|Sec-Fetch-Site/u),
      ]);
    }
    const { text } = await raw(gateway, { path: "/api/keys", headers: { cookie } });
    expect(text).not.toContain("mallory");
    expect(text).toContain("alice");
  });

  test("cannot use up the attempts of the person whose browser they are in", async () => {
    const gateway = await startTestGateway();
    for (let i = 0; i < 10; i += 1) {
      const answer = await raw(gateway, {
        method: "POST",
        path: "/api/session",
        headers: { origin: "https://evil.example" },
        body: { token: "guess" },
      });
      expect(answer.status).toBe(403);
    }
    await signIn(gateway);
  });

  test("under a name that was pointed at this machine get nothing: no page, no session, no demo key", async () => {
    const gateway = await startTestGateway();
    const cookie = await signIn(gateway);
    const host = `rebound.example:${new URL(gateway.url).port}`;
    const sameOrigin = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    for (const [method, path] of [
      ["GET", "/api/keys"],
      ["POST", "/api/keys"],
      ["GET", "/api/session"],
      ["POST", "/api/session"],
      ["GET", "/dashboard/sign-in"],
    ] as const) {
      const answer = await raw(gateway, {
        method,
        path,
        headers: { ...sameOrigin, cookie },
        body: { token: TOKEN },
      });
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("QUOTA_PUBLIC_HOSTS")]);
    }
    const asks = (authorization: string) =>
      raw(gateway, { path: "/v1/usage", headers: { ...sameOrigin, authorization } });
    expect((await asks("Bearer sk-demo-alice")).status).toBe(401);
    const { secret } = (await (await gateway.admin("POST", "/api/keys", { id: "dora" })).json()) as {
      secret: string;
    };
    expect((await asks(`Bearer ${secret}`)).status).toBe(200);
  });

  test("do not keep scripts behind proxies away, nor pages under a name that is set", async () => {
    const gateway = await startTestGateway({ settings: { publicHosts: ["quota.example"] } });
    const authorization = `Bearer ${TOKEN}`;
    const foreign = { host: "inner:80", origin: "https://elsewhere.example" };
    const script = {
      method: "POST",
      path: "/api/keys",
      headers: { ...foreign, authorization },
      body: { id: "dora" },
    };
    expect((await raw(gateway, script)).status).toBe(201);

    const proxied = { host: "quota.example", origin: "https://quota.example", "x-forwarded-proto": "https" };
    const answer = await raw(gateway, {
      method: "POST",
      path: "/api/session",
      headers: proxied,
      body: { code: codeOf(gateway) },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers["set-cookie"]![0]).toMatch(/; Secure$/u);
    const cookie = cookieIn(answer);
    const write = { method: "POST", path: "/api/keys", headers: { ...proxied, cookie }, body: { id: "eve" } };
    expect((await raw(gateway, write)).status).toBe(201);
  });
});

describe("wrong tokens and codes", () => {
  test("slow down the sixth, wherever they were tried, even a right one; then it is taken", async () => {
    const clock = { now: Date.UTC(2026, 0, 15) };
    const gateway = await startTestGateway({ now: () => clock.now });
    const bearer = (token: string) =>
      raw(gateway, { path: "/api/quota/pools", headers: { authorization: `Bearer ${token}` } });
    const posted = (body: unknown) => raw(gateway, { method: "POST", path: "/api/session", body });
    const cookie = await signIn(gateway);
    for (const told of [
      await bearer("guess"),
      await posted({ token: "guess" }),
      await posted({ code: "guess" }),
      await bearer("guess"),
      await posted({ token: "" }),
    ]) {
      expect(told.status).toBe(401);
      expect(told.headers["www-authenticate"]).toBe("Bearer");
    }
    for (const told of [
      await posted({ token: "guess" }),
      await posted({ token: TOKEN }),
      await posted({ code: codeOf(gateway) }),
      await bearer(TOKEN),
    ]) {
      expect([told.status, told.headers["retry-after"]]).toEqual([429, "1"]);
      expect(problem(told)).toContain("again in a second");
    }
    // Who is signed in already is not guessing.
    expect((await raw(gateway, { path: "/api/keys", headers: { cookie } })).status).toBe(200);
    clock.now += 1_000;
    expect((await bearer("guess")).headers["retry-after"]).toBe("2");
    clock.now += 2_000;
    expect((await bearer(TOKEN)).status).toBe(200);
    // The code was not even looked at meanwhile.
    expect((await posted({ code: codeOf(gateway) })).status).toBe(204);
  });

  test("never slow down a client that has the right one", async () => {
    const gateway = await startTestGateway();
    for (let i = 0; i < 50; i += 1) expect((await gateway.admin("GET", "/api/keys")).status).toBe(200);
  });
});

describe("the pages", () => {
  const SCRIPT = `console.log(${JSON.stringify("x".repeat(2_000))})`;
  function built(): string {
    const directory = join(temporaryDirectory(), "web");
    mkdirSync(join(directory, "assets"), { recursive: true });
    writeFileSync(join(directory, "..", "secret.txt"), "the secret");
    writeFileSync(join(directory, "index.html"), "<!doctype html><title>Quota</title>");
    writeFileSync(join(directory, "favicon.svg"), "<svg/>");
    writeFileSync(join(directory, "assets/index-1a2b.js"), SCRIPT);
    writeFileSync(join(directory, "assets/index-1a2b.js.br"), brotliCompressSync(SCRIPT));
    writeFileSync(join(directory, "assets/index-1a2b.js.gz"), gzipSync(SCRIPT));
    return directory;
  }

  test("lead to the first of them from / and /dashboard", async () => {
    const gateway = await startTestGateway({ webDirectory: built() });
    for (const path of ["/", "/dashboard", "/dashboard/"]) {
      const answer = await raw(gateway, { path });
      expect([answer.status, answer.headers.location]).toEqual([302, "/dashboard/costs/quota-share"]);
    }
  });

  test("are one page for every path without a file's name, never kept; with headers that let nothing else in", async () => {
    const gateway = await startTestGateway({ webDirectory: built() });
    for (const path of [
      "/dashboard/costs/quota-share",
      "/dashboard/sign-in?x=1",
      "/dashboard/plans/gpt-4.1",
      "/dashboard/index.html",
    ]) {
      const answer = await raw(gateway, { path });
      expect([answer.status, answer.text]).toEqual([200, "<!doctype html><title>Quota</title>"]);
      expect(answer.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": expect.stringContaining("camera=()") as string,
      });
      const etag = answer.headers.etag!;
      expect((await raw(gateway, { path, headers: { "if-none-match": etag } })).status).toBe(304);
      const head = await raw(gateway, { method: "HEAD", path });
      expect([head.status, head.text, head.headers["content-length"]]).toEqual([
        200,
        "",
        answer.headers["content-length"],
      ]);
    }
    expect((await raw(gateway, { method: "POST", path: "/dashboard/sign-in" })).status).toBe(405);
  });

  test("come with files that are kept for a year, packed as the browser likes it", async () => {
    const gateway = await startTestGateway({ webDirectory: built() });
    const path = "/dashboard/assets/index-1a2b.js";
    const plain = await raw(gateway, { path });
    expect([plain.text, plain.headers["content-encoding"]]).toEqual([SCRIPT, undefined]);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    const br = await raw(gateway, { path, headers: { "accept-encoding": "gzip, deflate, br, zstd" } });
    expect(br.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(br.body).toString()).toBe(SCRIPT);
    expect(br.headers.etag).not.toBe(plain.headers.etag);
    expect(
      (await raw(gateway, { path, headers: { "accept-encoding": "gzip" } })).headers["content-encoding"],
    ).toBe("gzip");
    expect((await raw(gateway, { path: "/dashboard/favicon.svg" })).headers).toMatchObject({
      "content-type": "image/svg+xml",
      "cache-control": "no-cache",
    });
    for (const missing of [
      "/dashboard/assets/index-gone.js",
      "/dashboard/assets/x",
      "/dashboard/nothing.css",
      "/dashboard/assets/index-1a2b.js.br",
    ])
      expect((await raw(gateway, { path: missing })).status).toBe(404);
  });

  test("never lead out of their directory, whatever the path", async () => {
    const gateway = await startTestGateway({ webDirectory: built() });
    for (const trick of [
      "../secret.txt",
      "..%2fsecret.txt",
      "%2e%2e/secret.txt",
      "%2e%2e%2fsecret.txt",
      "..%5csecret.txt",
      "..\\secret.txt",
      "assets/../../secret.txt",
      "assets/..%2f..%2fsecret.txt",
      "..%252fsecret.txt",
      "..%00/secret.txt",
      "secret.txt%00.js",
      "%00",
      "/etc/passwd",
      "%2fetc%2fpasswd",
      "..;/secret.txt",
      "%c0%ae%c0%ae/secret.txt",
      "%ff",
      "__proto__",
      "constructor",
    ]) {
      const answer = await raw(gateway, { path: `/dashboard/${trick}` });
      expect([200, 400, 404]).toContain(answer.status);
      if (answer.status === 200) expect(answer.text).toBe("<!doctype html><title>Quota</title>");
      expect(answer.text).not.toMatch(/the secret|root:/u);
    }
    expect(gateway.logged.join("")).not.toContain("a request failed");
  });

  test("say how to build them where they are not", async () => {
    for (const webDirectory of [join(temporaryDirectory(), "nothing"), temporaryDirectory()]) {
      const answer = await raw(await startTestGateway({ webDirectory }), { path: "/dashboard/sign-in" });
      expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("npx -y pnpm demo")]);
      expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    }
  });
});
