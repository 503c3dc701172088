import { basename } from "node:path";
import { generateTrace } from "../traces/generateTrace.js";
import { readText } from "../traces/readText.js";
import { readTrace } from "../traces/readTrace.js";
import { recordTrace } from "../traces/recordTrace.js";
import type { Trace } from "../traces/trace.js";
import type { Traffic } from "./readArguments.js";

/** The trace that was asked for; undefined for scripts, which have none. */
export async function traceOf(
  traffic: Traffic,
  { seed, at }: { readonly seed: string; readonly at: (path: string) => string },
): Promise<{ readonly name: string; readonly slots: Trace } | undefined> {
  switch (traffic.from) {
    case "scripts":
      return undefined;
    case "file":
      return { name: basename(traffic.path), slots: await readTrace(at(traffic.path)) };
    case "log": {
      const { path, client, message } = traffic;
      const slots = recordTrace(await readText(at(path)), path, {
        ...(client !== undefined && { client }),
        ...(message !== undefined && { message }),
      });
      return { name: basename(path), slots };
    }
    case "generator": {
      const { shape, clients, days } = traffic;
      return { name: `made up, ${shape}`, slots: generateTrace({ shape, clients, days, seed }) };
    }
  }
}
