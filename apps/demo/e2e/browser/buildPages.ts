import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import type {} from "./openBrowser.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Said by `buildPages`: the folder of the built pages, for `startTestGateway`. */
    readonly webDirectory: string;
  }
}

const WEB = fileURLToPath(new URL("../../web/", import.meta.url));

/** A global set-up of vitest: builds the pages from their sources, into a folder of this run alone, so that two runs do not meet. */
export default async function buildPages(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.getProvidedContext().chromium === undefined) return undefined;
  const directory = await mkdtemp(join(tmpdir(), "quota-pages-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  await build(directory).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  project.provide("webDirectory", directory);
  return remove;
}

/** In a process of its own: this one says that it is a test, and would get the development build of everything. */
async function build(outDir: string): Promise<void> {
  await promisify(execFile)(
    process.execPath,
    // Its lock is there for builds into one folder, and this one is nobody else's.
    [
      await viteProgram(),
      "build",
      "--outDir",
      outDir,
      "--emptyOutDir",
      "--bypass-lock",
      "--logLevel",
      "warn",
    ],
    { cwd: WEB, env: { ...process.env, NODE_ENV: "production" } },
  ).catch((error: unknown) => {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`The pages cannot be built:\n${stdout ?? ""}${stderr ?? ""}`, { cause: error });
  });
}

async function viteProgram(): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve("vite/package.json");
  const { bin } = JSON.parse(await readFile(manifest, "utf8")) as { readonly bin: { readonly vite: string } };
  return join(dirname(manifest), bin.vite);
}
