import { parseArgs } from "node:util";
import { QuotaConfigError, WINDOWS, type WindowName } from "@quota/core";
import type { TriedRule } from "../rule.js";
import { DEFAULT_RULES, ruleNamed } from "../ruleNamed.js";
import { TRACE_SHAPES, type TraceShape } from "../traces/generateTrace.js";

/** What somebody asked of the command. */
export interface Arguments {
  readonly help: boolean;
  readonly traffic: Traffic;
  /** Where a trace is written to, instead of being played. */
  readonly save: string | undefined;
  readonly window: WindowName;
  readonly limit: number;
  readonly load: number;
  readonly weights: readonly number[];
  readonly seed: string;
  readonly rules: readonly TriedRule[];
  readonly report: string;
  readonly json: string | undefined;
  readonly processes: number | undefined;
}

/** Where the requests come from. */
export type Traffic =
  | { readonly from: "file"; readonly path: string }
  | {
      readonly from: "log";
      readonly path: string;
      readonly client: string | undefined;
      readonly message: string | undefined;
    }
  | {
      readonly from: "generator";
      readonly shape: TraceShape;
      readonly clients: number;
      readonly days: number;
    }
  | { readonly from: "scripts"; readonly name: string | undefined };

/**
 * Reads the arguments of the command.
 *
 * @throws {QuotaConfigError} naming the option, what is wrong with it and what to write instead.
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parsed(args);
  return {
    help: values.help === true,
    traffic: trafficOf(values, positionals),
    save: values.save,
    window: wordOf("window", values.window ?? "5h", WINDOWS),
    limit: numberOf("limit", values.limit ?? "3000", { isWhole: true }),
    load: numberOf("load", values.load ?? "1"),
    weights: weightsOf(values.weights ?? "equal"),
    seed: values.seed ?? "1",
    rules: rulesOf(values.rules),
    report: values.report ?? "simulation.html",
    json: values.json,
    processes:
      values.processes === undefined
        ? undefined
        : numberOf("processes", values.processes, { isWhole: true, least: 0 }),
  };
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const OPTIONS = {
  ...{ window: text, limit: text, load: text, weights: text, seed: text, rules: text },
  ...{ report: text, json: text, save: text, processes: text },
  ...{ record: text, client: text, message: text },
  ...{ shape: text, clients: text, days: text },
  ...{ script: text, scripts: flag, help: flag },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>["values"];

function parsed(args: readonly string[]): {
  readonly values: Values;
  readonly positionals: readonly string[];
} {
  try {
    return parseArgs({
      args: args.filter((argument) => argument !== "--"),
      options: OPTIONS,
      allowPositionals: true,
    });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw refusal("arguments", cause.message, "See --help.");
  }
}

function trafficOf(values: Values, positionals: readonly string[]): Traffic {
  const { record, script, shape, clients, days } = values;
  const isGenerated = shape !== undefined || clients !== undefined || days !== undefined;
  const sources = [
    ...positionals,
    ...(record === undefined ? [] : ["--record"]),
    ...(script === undefined ? [] : ["--script"]),
    ...(values.scripts === true ? ["--scripts"] : []),
    ...(isGenerated ? ["--shape, --clients or --days"] : []),
  ];
  if (sources.length > 1)
    throw refusal("arguments", `name more than one traffic: ${sources.join(" and ")}.`, "Give one of them.");
  if (script !== undefined || values.scripts === true) return { from: "scripts", name: script };
  if (record !== undefined)
    return { from: "log", path: record, client: values.client, message: values.message };
  const [path] = positionals;
  if (path !== undefined) return { from: "file", path };
  return {
    from: "generator",
    shape: wordOf("shape", shape ?? "mixed", TRACE_SHAPES),
    clients: numberOf("clients", clients ?? "20", { isWhole: true }),
    days: numberOf("days", days ?? "14"),
  };
}

function rulesOf(words: string | undefined): readonly TriedRule[] {
  const rules = (words?.split(",") ?? DEFAULT_RULES).map((word) => ruleNamed(word.trim()));
  const names = rules.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return rules;
  throw refusal("rules", `names "${twice}" twice.`, "Name every rule once.");
}

function weightsOf(words: string): readonly number[] {
  if (words === "equal") return [1];
  const weights = words.split(",").map((word) => (word.trim() === "" ? NaN : Number(word)));
  if (weights.every((weight) => weight >= 0 && weight < Infinity) && weights.some((weight) => weight > 0))
    return weights;
  throw refusal(
    "weights",
    `"${words.slice(0, 40)}" is no list of weights.`,
    'Write "equal", or numbers from 0 such as 4,2,1, for the clients in their order, over and over.',
  );
}

function wordOf<Word extends string>(field: string, word: string, words: readonly Word[]): Word {
  if (words.includes(word as Word)) return word as Word;
  throw refusal(field, `"${word.slice(0, 40)}" is not known.`, `Take one of ${words.join(", ")}.`);
}

function numberOf(field: string, word: string, { isWhole = false, least = 1e-9 } = {}): number {
  const value = word.trim() === "" ? NaN : Number(word);
  if (value >= least && value < Infinity && (!isWhole || Number.isSafeInteger(value))) return value;
  const kind = isWhole ? "whole number" : "number";
  throw refusal(
    field,
    `"${word.slice(0, 40)}" is not one.`,
    `Write a ${kind} ${least === 0 ? "from" : "above"} 0.`,
  );
}

function refusal(field: string, problem: string, remedy: string): QuotaConfigError {
  return new QuotaConfigError({ code: "argument", field: `--${field}`, problem, remedy });
}
