import { createHash } from "node:crypto";
import type { Question } from "./endpoint.js";

export interface PromptCache {
  /** How much of a request's input is read from the cache, and how much is written to it. */
  use(request: {
    readonly credential: string;
    readonly dialect: "openai" | "anthropic";
    readonly question: Question;
  }): {
    readonly read: number;
    readonly written: number;
  };
}

/**
 * Remembers the beginnings of prompts as hashes, at most 1000. Anthropic's cache is asked for and tells what it wrote;
 * OpenAI's works by itself from 1024 tokens on, in steps of 128, and tells only what it read.
 */
export function createPromptCache(): PromptCache {
  const known = new Set<string>();
  return {
    use({ credential, dialect, question: { cacheable, model } }) {
      if (cacheable === "nothing") return { read: 0, written: 0 };
      const tokens = dialect === "anthropic" ? cacheable.tokens : Math.floor(cacheable.tokens / 128) * 128;
      if (dialect === "openai" && tokens < 1024) return { read: 0, written: 0 };
      const hash = createHash("sha256")
        .update(JSON.stringify([credential, model, cacheable.text]))
        .digest("hex");
      if (known.has(hash)) return { read: tokens, written: 0 };
      known.add(hash);
      const [oldest] = known;
      if (known.size > 1000 && oldest !== undefined) known.delete(oldest);
      return { read: 0, written: dialect === "anthropic" ? tokens : 0 };
    },
  };
}
