import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";

/** Keeps what a bench measured as `results/<name>.json`, with the machine it was measured on. */
export async function saveResult(name: string, measured: Readonly<Record<string, unknown>>): Promise<void> {
  const processors = cpus();
  const result = {
    bench: name,
    measuredAt: new Date().toISOString(),
    machine: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processor: processors[0]?.model ?? "unknown",
      cores: processors.length,
    },
    ...measured,
  };
  const folder = join(import.meta.dirname, "results");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}
