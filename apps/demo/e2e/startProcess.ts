import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { mkdtemp, rm } from "node:fs/promises";
import { onTestFinished } from "vitest";

const room = fileURLToPath(new URL("..", import.meta.url));

/** The demo as `pnpm demo` builds it, in a folder of its own, so that no build has to come before the tests. */
export async function buildDemo(): Promise<{ readonly main: string; readonly remove: () => Promise<void> }> {
  // Below node_modules, so that what stays outside of the bundle is found from there.
  const folder = await mkdtemp(join(room, "node_modules", ".e2e-"));
  const tsup = join(
    dirname(createRequire(import.meta.url).resolve("tsup/package.json")),
    "dist/cli-default.js",
  );
  await promisify(execFile)(process.execPath, [tsup, "--out-dir", folder, "--silent"], { cwd: room });
  return { main: join(folder, "main.js"), remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface DemoProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves with the address once it is ready; rejects when it ends before. */
  readonly ready: Promise<string>;
}

/** Runs the built demo with nothing in its environment but this. Killed with the test. */
export function startProcess(
  main: string,
  { env, args = [] }: { readonly env: Readonly<Record<string, string>>; readonly args?: readonly string[] },
): DemoProcess {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close").then(
    ([code, signal]: unknown[]) => (code ?? signal) as number | NodeJS.Signals,
  );
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const url = /^ready (http\S+)$/mu.exec(stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then((code) => reject(new Error(`ended with ${code} before it was ready: ${stderr}`)));
  });
  // A test that is about the end does not wait for this.
  ready.catch(() => undefined);
  return { child, stdout: () => stdout, stderr: () => stderr, ended, ready };
}
