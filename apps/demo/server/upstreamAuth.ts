import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { fitsHeader } from "./fitsHeader.js";

/**
 * How the gateway proves itself to an upstream. `header` is where the secret goes; without it `authorization`, or `x-api-key` for the
 * provider `anthropic`. In `authorization` a secret of one word gets `Bearer ` before it. `headers` are added as they stand: the
 * account id that some seats want beside their token.
 */
export type UpstreamAuth =
  | { readonly kind: "none" }
  | ({ readonly kind: "value"; readonly value: string } & AuthHeaders)
  /** Read again whenever the file changes: whoever logs in writes it. */
  | ({ readonly kind: "file"; readonly path: string } & AuthHeaders)
  | CommandAuth;

/**
 * Run without a shell. Prints the secret, or JSON `{ "token": "…", "expiresAt": <ISO time or epoch seconds> }`; kept until a minute before
 * it expires, and for `ttlS` seconds (default 60) where it does not say.
 */
type CommandAuth = {
  readonly kind: "command";
  readonly command: readonly string[];
  readonly ttlS?: number | undefined;
  readonly timeoutS?: number | undefined;
} & AuthHeaders;

interface AuthHeaders {
  readonly header?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The secrets of connections as they are needed: files re-read when they change, commands run when their answer has expired. */
export interface UpstreamSecrets {
  /** The secret, or undefined where none is needed. @throws {Error} when it cannot be had; the message is for the log, not for clients. */
  secretOf(connectionId: string, auth: UpstreamAuth): Promise<string | undefined>;
  /** The upstream did not take the secret, or the auth was changed: ask anew next time. */
  forget(connectionId: string): void;
}

interface KeptAnswer {
  /** The command. */
  readonly of: string;
  readonly until: number;
  readonly secret: Promise<string>;
}

export function createUpstreamSecrets({
  now = Date.now,
}: { readonly now?: () => number } = {}): UpstreamSecrets {
  const files = new Map<string, { readonly stamp: string; readonly secret: string }>();
  const commands = new Map<string, KeptAnswer>();

  async function fromFile(connectionId: string, path: string): Promise<string> {
    const { mtimeMs, size, ino } = await stat(path);
    const stamp = `${path} ${mtimeMs} ${size} ${ino}`;
    const kept = files.get(connectionId);
    if (kept?.stamp === stamp) return kept.secret;
    const secret = wordIn(await readFile(path, "utf8"), `the file ${path}`);
    files.set(connectionId, { stamp, secret });
    return secret;
  }

  function fromCommand(connectionId: string, auth: CommandAuth): Promise<string> {
    const of = JSON.stringify(auth.command);
    const kept = commands.get(connectionId);
    // Another gateway on the database may have given it another command.
    if (kept?.of === of && now() < kept.until) return kept.secret;
    const answer = run(auth);
    // Requests that come while it runs wait for the same run.
    const running = { of, until: Number.POSITIVE_INFINITY, secret: answer.then((told) => told.secret) };
    commands.set(connectionId, running);
    answer.then(
      ({ secret, expiresAt }) => {
        if (commands.get(connectionId) !== running) return;
        const until = expiresAt === undefined ? now() + 1000 * (auth.ttlS ?? 60) : expiresAt - 60_000;
        commands.set(connectionId, { of, until, secret: Promise.resolve(secret) });
      },
      () => {
        if (commands.get(connectionId) === running) commands.delete(connectionId);
      },
    );
    return running.secret;
  }

  return {
    async secretOf(connectionId, auth) {
      switch (auth.kind) {
        case "none":
          return undefined;
        case "value":
          return auth.value;
        case "file":
          return fromFile(connectionId, auth.path);
        case "command":
          return fromCommand(connectionId, auth);
      }
    },
    forget(connectionId) {
      files.delete(connectionId);
      commands.delete(connectionId);
    },
  };
}

/** Whether an upstream that answers this does not take the secret: somebody has to log in, or the account may not do what was asked. */
export function refusesSecret(status: number): boolean {
  return status === 401 || status === 403;
}

/** The headers an upstream is shown. */
export function authHeaders({
  auth,
  provider,
  secret,
}: {
  readonly auth: UpstreamAuth;
  readonly provider: string;
  readonly secret: string | undefined;
}): readonly (readonly [name: string, value: string])[] {
  if (auth.kind === "none" || secret === undefined) return [];
  const name = auth.header?.toLowerCase() ?? (provider === "anthropic" ? "x-api-key" : "authorization");
  const value = name === "authorization" && !/\s/u.test(secret) ? `Bearer ${secret}` : secret;
  const others = Object.entries(auth.headers ?? {}).map(
    ([each, text]) => [each.toLowerCase(), text] as const,
  );
  return [...others, [name, value]];
}

async function run({ command, timeoutS = 30 }: CommandAuth): Promise<{ secret: string; expiresAt?: number }> {
  const [program, ...args] = command;
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(program!, args, { timeout: timeoutS * 1000, maxBuffer: 1_048_576 }, (error, out) => {
      // Its output may hold the secret, so the error keeps neither.
      if (error !== null)
        reject(new Error(`the command ${program!} failed (${String(error.code ?? error.signal)})`));
      else resolve(out);
    });
  });
  const origin = `the command ${program!}`;
  const told = jsonIn(stdout, origin);
  if (told === undefined) return { secret: wordIn(stdout, origin) };
  const secret = wordIn(typeof told.token === "string" ? told.token : "", origin);
  const expiresAt =
    typeof told.expiresAt === "number" ? told.expiresAt * 1000 : Date.parse(String(told.expiresAt));
  return Number.isFinite(expiresAt) ? { secret, expiresAt } : { secret };
}

function jsonIn(
  text: string,
  origin: string,
): { readonly token?: unknown; readonly expiresAt?: unknown } | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as { token?: unknown; expiresAt?: unknown };
  } catch {
    // The parser's own message quotes the text, and the text is a secret.
    throw new Error(`${origin} printed JSON that does not parse`);
  }
}

function wordIn(text: string, origin: string): string {
  const secret = text.trim();
  if (secret === "") throw new Error(`${origin} holds no secret`);
  if (!fitsHeader(secret)) throw new Error(`${origin} holds more than one line that fits a header`);
  return secret;
}
