import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface DemoProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves with the address once it is ready; rejects when it ends before. */
  readonly ready: Promise<string>;
}

/** Runs the built demo with nothing in its environment but this. Whoever spawns it ends it. */
export function spawnDemo(
  main: string,
  { env, args = [] }: { readonly env: Readonly<Record<string, string>>; readonly args?: readonly string[] },
): DemoProcess {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
  // Whoever is interested in the end does not wait for this.
  ready.catch(() => undefined);
  return { child, stdout: () => stdout, stderr: () => stderr, ended, ready };
}
