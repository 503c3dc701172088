import { spawn } from "node:child_process";
import { once } from "node:events";

/** A program with a guard beside it. */
export interface Guarded {
  readonly ended: Promise<void>;
  /** What it has written so far. */
  written(): string;
  signal(name: NodeJS.Signals): void;
  /** Ends the program, and waits until it is gone. */
  end(then: "keep the directory" | "remove the directory"): Promise<void>;
}

/**
 * The guard reads a pipe whose other end this process holds. When that is closed, by the end of this process at the latest
 * (even by SIGKILL), it ends the program and takes the directory away.
 */
const GUARD = `
directory=$1
signal=$2
shift 2
"$@" </dev/null &
echo "pid $!"
then=remove
while read -r line; do then=$line; done
kill -"$signal" $! 2>/dev/null
wait $! 2>/dev/null
[ "$then" = keep ] || rm -rf "$directory"
`;

export interface GuardedOptions {
  /** Goes with the program; and where the program is started. */
  readonly directory: string;
  /** Who runs it; default: who runs this process. It needs to own the directory. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** How it is ended: default at once. `QUIT`: for programs with children, which then take these along. */
  readonly endWith?: "KILL" | "QUIT" | undefined;
}

/** Starts a program that ends with this process, and whose directory goes with it. */
export async function startGuarded(
  command: readonly string[],
  { directory, user, endWith = "KILL" }: GuardedOptions,
): Promise<Guarded> {
  const guard = spawn("sh", ["-c", GUARD, "guard", directory, endWith, ...command], {
    ...user,
    cwd: directory,
    stdio: ["pipe", "pipe", "pipe"],
    // A Ctrl-C is for this process, which then closes the pipe.
    detached: true,
  });
  let text = "";
  const ended = once(guard, "close").then(() => undefined);
  const pid = await new Promise<number>((resolve, reject) => {
    guard.once("error", reject);
    for (const stream of [guard.stdout, guard.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text = (text + chunk).slice(-8_000);
        const said = /^pid (\d+)$/m.exec(text)?.[1];
        if (said !== undefined) resolve(Number(said));
      });
  });
  // Neither the guard nor its pipes keep this process alive.
  guard.unref();
  for (const stream of [guard.stdin, guard.stdout, guard.stderr])
    (stream as unknown as { unref?: () => void }).unref?.();

  return {
    ended,
    written: () => text.replace(/^pid \d+$/m, "").trim(),
    signal(name) {
      process.kill(pid, name);
    },
    async end(then) {
      guard.ref();
      guard.stdin.end(then === "keep the directory" ? "keep\n" : "remove\n");
      await ended;
    },
  };
}
