import { fork } from "node:child_process";
import type { Played } from "./played.js";
import type { TriedRule } from "./rule.js";
import { simulateRule } from "./simulateRule.js";
import { summarize, type Summary } from "./summarize.js";
import type { Workload } from "./workload.js";

/** What one rule came to. */
export interface RuleResult {
  readonly rule: TriedRule;
  readonly summary: Summary;
}

/** One workload under several rules. */
export interface Comparison {
  readonly workload: Workload;
  readonly rules: readonly TriedRule[];
  /** The same seed makes the same requests. */
  readonly seed: string;
  /** How many rules are played at once, each in a process of its own; 0, the default, plays one after the other in this one. */
  readonly processes?: number;
  /** Is told of every rule that is done, in the order in which they are. */
  readonly onResult?: (result: RuleResult) => void;
}

/**
 * Plays the same requests under several rules. What comes back depends on nothing but the workload, the rules and the seed.
 *
 * @example
 * const results = await compareRules({ workload, rules: ["threshold", "reserve"].map(ruleNamed), seed: "1" });
 * console.log(tableOf(results));
 */
export async function compareRules(comparison: Comparison): Promise<readonly RuleResult[]> {
  const { workload, rules, seed, processes = 0, onResult } = comparison;
  const results = new Map<TriedRule, RuleResult>();
  const left = [...rules];
  const play = processes === 0 ? simulateRule : inProcess;
  const work = async (): Promise<void> => {
    for (let rule = left.shift(); rule !== undefined; rule = left.shift()) {
      const played = await play({ workload, lending: rule.lending, seed });
      const result = { rule, summary: summarize(workload, played) };
      results.set(rule, result);
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(processes, rules.length)) }, work));
  return rules.map((rule) => results.get(rule)!);
}

/** {@link simulateRule}, in a process of its own. */
function inProcess(run: Parameters<typeof simulateRule>[0]): Promise<Played> {
  // From the sources this runs as TypeScript, and its neighbours do, too: a process inherits what makes that so.
  const file = import.meta.url.endsWith(".ts") ? "./ruleProcess.ts" : "./ruleProcess.js";
  const child = fork(new URL(file, import.meta.url), { serialization: "advanced" });
  return new Promise((found, failed) => {
    child.once("message", (played) => found(played as Played));
    child.once("error", failed);
    child.once("exit", (code) => {
      failed(new Error(`The process of a rule ended with ${String(code)} and no result.`));
    });
    child.send(run);
  });
}
