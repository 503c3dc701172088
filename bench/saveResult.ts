import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { isMet, judged, type Measurement } from "./measurement.js";

/** What a bench leaves behind. */
export interface Result {
  readonly bench: string;
  readonly measuredAt: string;
  readonly machine: Readonly<Record<"node" | "platform" | "processor", string>> & { readonly cores: number };
  readonly measurements: readonly (Measurement & {
    readonly judged: number | undefined;
    readonly met: boolean | undefined;
  })[];
  /** Whatever else is worth reading, in words. */
  readonly notes: readonly string[];
}

/** Where results are kept. */
export const RESULTS = join(import.meta.dirname, "results");

/** Keeps what a bench measured as `results/<name>.json`, with the machine it was measured on. */
export async function saveResult(
  bench: string,
  measurements: readonly Measurement[],
  notes: readonly string[] = [],
): Promise<void> {
  const processors = cpus();
  const result: Result = {
    bench,
    measuredAt: new Date().toISOString(),
    machine: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processor: processors[0]?.model ?? "unknown",
      cores: processors.length,
    },
    measurements: measurements.map((each) => ({ ...each, judged: judged(each), met: isMet(each) })),
    notes,
  };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
}
