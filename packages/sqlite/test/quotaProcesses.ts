import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

/** The program of `programs/quotaProcess.ts`, built once from the sources, so that plain Node can run it. */
export interface QuotaProgram {
  readonly file: string;
  /** Runs it to its end; the lines it said. */
  run(args: readonly (string | number)[], options?: SpawnOptions): Promise<readonly Said[]>;
  start(args: readonly (string | number)[], options?: SpawnOptions): RunningProgram;
  remove(): void;
}

export interface RunningProgram {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly said: readonly Said[];
  /** When it has said so many lines. */
  hasSaid(lines: number): Promise<void>;
  readonly ended: Promise<void>;
}

export type Said = Readonly<Record<string, unknown>>;

const here = fileURLToPath(new URL(".", import.meta.url));

export async function buildQuotaProgram(): Promise<QuotaProgram> {
  // Below this package, so that better-sqlite3 is found from there.
  const cache = join(here, "../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(join(cache, "program-"));
  await build({
    entry: [join(here, "programs/quotaProcess.ts")],
    outDir,
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    splitting: false,
    outExtension: () => ({ js: ".mjs" }),
    external: ["better-sqlite3"],
    noExternal: [/^@quota\//],
    loader: { ".sql": "text" },
    esbuildOptions: (options) => void (options.conditions = ["@quota/source"]),
  });
  const file = join(outDir, "quotaProcess.mjs");

  const start: QuotaProgram["start"] = (args, options = {}) => startProgram([file, ...args], options);
  return {
    file,
    start,
    async run(args, options) {
      const running = start(args, options);
      await running.ended;
      return running.said;
    },
    remove: () => rmSync(outDir, { recursive: true }),
  };
}

/** Starts Node on a program; what it writes to stderr fails the test, unless it was killed. */
export function startProgram(args: readonly (string | number)[], options: SpawnOptions = {}): RunningProgram {
  const child = spawn(process.execPath, args.map(String), { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const said: Said[] = [];
  const listeners = new Set<() => void>();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  createInterface({ input: child.stdout }).on("line", (line) => {
    // A killed process may leave half a line behind.
    if (!line.endsWith("}")) return;
    said.push(JSON.parse(line) as Said);
    for (const listener of listeners) listener();
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0 || child.killed) resolve();
      else reject(new Error(`The program ended with code ${String(code)}: ${stderr}`));
    });
  });
  return {
    child,
    said,
    ended,
    async hasSaid(lines) {
      await Promise.race([
        ended,
        new Promise<void>((resolve) => {
          const look = (): void => {
            if (said.length >= lines) resolve();
          };
          listeners.add(look);
          look();
        }),
      ]);
    },
  };
}
