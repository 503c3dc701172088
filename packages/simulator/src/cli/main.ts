#!/usr/bin/env node
/** `simulate [FILE] [options]`: see {@link HELP}. */
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { QuotaConfigError } from "@quota/core";
import { compareRules } from "../compareRules.js";
import { reportPage, type ReportSection } from "../report/reportPage.js";
import { tableOf } from "../report/tableOf.js";
import { TraceError } from "../traces/traceError.js";
import { traceText } from "../traces/traceText.js";
import { HELP } from "./help.js";
import { readArguments, type Arguments } from "./readArguments.js";
import { sectionsOf } from "./sectionsOf.js";
import { traceOf } from "./traceOf.js";

/** A script of the workspace runs in this package's folder; paths are meant from where it was called. */
const at = (path: string): string => resolve(process.env["INIT_CWD"] ?? ".", path);

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked.help) process.stdout.write(HELP);
  else await simulate(asked);
} catch (error) {
  // What somebody can mend is said to him; all else is a fault of ours, and shown where it was.
  if (!(error instanceof QuotaConfigError || error instanceof TraceError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function simulate(asked: Arguments): Promise<void> {
  const { traffic, seed, rules, save } = asked;
  const trace = await traceOf(traffic, { seed, at });
  if (save !== undefined && trace !== undefined) {
    const text = traceText(trace.slots);
    await writeFile(at(save), save.endsWith(".gz") ? gzipSync(text) : text);
    process.stdout.write(`${save}: ${String(trace.slots.length)} slots of ${trace.name}\n`);
    return;
  }
  const sections: ReportSection[] = [];
  for (const { workload, story } of sectionsOf(asked, trace)) {
    const began = performance.now();
    process.stdout.write(`${workload.name}: ${story}\n\n`);
    const results = await compareRules({
      ...{
        workload,
        rules,
        seed,
        processes: asked.processes ?? (trace === undefined ? 0 : availableParallelism()),
      },
      onResult: ({ rule }) => process.stderr.write(`  ${rule.name} played\n`),
    });
    process.stdout.write(`${tableOf(results)}\n\n`);
    process.stderr.write(`  ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    sections.push({ workload, story, results });
  }
  await writeFile(at(asked.report), reportPage(sections));
  process.stdout.write(`Report: ${asked.report}\n`);
  if (asked.json !== undefined)
    await writeFile(at(asked.json), `${JSON.stringify(figures(sections), null, 2)}\n`);
}

function figures(sections: readonly ReportSection[]): unknown {
  return sections.map(({ workload: { name, window, limit, windows }, story, results }) => ({
    ...{ name, story, window, limit, windows },
    results: results.map(({ rule, summary }) => ({ rule, ...summary })),
  }));
}
