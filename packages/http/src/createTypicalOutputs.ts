/** A key and a model: what typical outputs are remembered by. Both are data from outside, of any form. */
export interface KeyAndModel {
  readonly apiKeyId: string;
  readonly model: string;
}

/** What settled answers teach about one key's use of one model. */
export interface TypicalUse {
  /** Exponentially weighted output tokens. */
  readonly output: number;
  /** What to multiply a prompt's estimate by, from 0.25 to 4. */
  readonly promptFactor: number;
}

/** One settled answer. */
export interface SettledUse {
  /** The prompt as it was estimated, before any correction. */
  readonly estimatedPrompt: number;
  /** The prompt as the provider counted it, caches included. */
  readonly prompt: number;
  readonly output: number;
}

export interface TypicalOutputs {
  /** `undefined` before the pair's first settled answer. */
  recall(pair: KeyAndModel): TypicalUse | undefined;
  learn(pair: KeyAndModel, settled: SettledUse): void;
  /** How many pairs are remembered. */
  size(): number;
}

/**
 * Remembers, per API key and model, the typical output and how far the prompt estimates are off.
 *
 * Both are exponentially weighted averages (`alpha`, default 0.2) that begin with the first answer; the prompt's factor is the
 * average counted prompt over the average estimated one, so that a large prompt weighs more than a small one. At most `maxPairs` (default
 * 10 000) are remembered: the one that was used least recently goes. A pair whose id or model is longer than 256 characters is
 * not remembered at all, so memory is bounded and no two pairs can be taken for one.
 */
export function createTypicalOutputs({
  alpha = 0.2,
  maxPairs = 10_000,
}: { readonly alpha?: number; readonly maxPairs?: number } = {}): TypicalOutputs {
  // A Map keeps the order of insertion: the first is the one used least recently.
  const pairs = new Map<string, Averages>();

  return {
    recall(pair) {
      const name = nameOf(pair);
      const averages = name === undefined ? undefined : pairs.get(name);
      if (name === undefined || averages === undefined) return undefined;
      pairs.delete(name);
      pairs.set(name, averages);
      return { output: averages.output, promptFactor: factorOf(averages) };
    },
    learn(pair, { estimatedPrompt, prompt, output }) {
      const name = nameOf(pair);
      if (name === undefined || ![estimatedPrompt, prompt, output].every(isAmount)) return;
      const before = pairs.get(name);
      pairs.delete(name);
      pairs.set(name, {
        output: average(before?.output, output),
        prompt: average(before?.prompt, prompt),
        estimatedPrompt: average(before?.estimatedPrompt, estimatedPrompt),
      });
      if (pairs.size > maxPairs) pairs.delete(pairs.keys().next().value!);
    },
    size: () => pairs.size,
  };

  function average(before: number | undefined, value: number): number {
    return before === undefined ? value : before + alpha * (value - before);
  }
}

interface Averages {
  readonly output: number;
  readonly prompt: number;
  readonly estimatedPrompt: number;
}

const LONGEST_NAME = 256;
const SMALLEST_FACTOR = 0.25;
const LARGEST_FACTOR = 4;

/** The id's length stands first, so that no separator can be forged. */
function nameOf({ apiKeyId, model }: KeyAndModel): string | undefined {
  if (apiKeyId.length > LONGEST_NAME || model.length > LONGEST_NAME) return undefined;
  return `${String(apiKeyId.length)}:${apiKeyId}${model}`;
}

function factorOf({ prompt, estimatedPrompt }: Averages): number {
  if (prompt === 0 || estimatedPrompt === 0) return 1;
  return Math.min(LARGEST_FACTOR, Math.max(SMALLEST_FACTOR, prompt / estimatedPrompt));
}

function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}
