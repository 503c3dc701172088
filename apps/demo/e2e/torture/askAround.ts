import type { TortureGateway } from "./tortureGateway.js";

/** A request, and what its client got to see. */
export interface AskedOnce {
  /** Named as the user of the request, so that its event can be found. */
  readonly tag: string;
  readonly key: string;
  status: number | "none";
  /** The client has the whole answer, by the rules of its dialect. */
  isWhole: boolean;
  /** What that answer costs, in nano-dollars, from the usage that it says. */
  cost: bigint | undefined;
}

export interface AskingAround {
  readonly asked: readonly AskedOnce[];
  whole(): number;
  /** Enough was asked for, until more is. */
  isIdle(): boolean;
  /** Asks at most so many times more, then lets what is under way end. */
  stop(more: number): Promise<void>;
}

/** What each token costs, in nano-dollars: whole numbers, so that anybody can multiply. */
export const TORTURE_PRICES = { input: 3_000n, cachedInput: 300n, cacheWrite: 3_750n, output: 15_000n };

const AT_ONCE = 8;
/** While a gateway is started anew, the others are asked enough. */
const MOST_BEFORE_STOP = 100;
const KEYS = ["alice", "bob", "carol"];
/** Nobody waits longer for an answer. */
const PATIENCE_MS = 60_000;

/** Clients that ask whichever gateway is there, one request after the other. */
export function askAround({
  gateways,
  random,
  name,
}: {
  readonly gateways: readonly TortureGateway[];
  readonly random: () => number;
  readonly name: string;
}): AskingAround {
  const asked: AskedOnce[] = [];
  let left = MOST_BEFORE_STOP;
  let stopping = false;
  const client = async (): Promise<void> => {
    while (left > 0 || !stopping) {
      const there = gateways.flatMap(({ url }) => url ?? []);
      const url = there[Math.floor(random() * there.length)];
      if (url === undefined || left <= 0) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      left -= 1;
      const one: AskedOnce = {
        tag: `${name}-${asked.length}`,
        key: KEYS[Math.floor(random() * KEYS.length)]!,
        status: "none",
        isWhole: false,
        cost: undefined,
      };
      asked.push(one);
      await askOnce(url, one, CALLS[Math.floor(random() * CALLS.length)]!);
    }
  };
  const clients = Promise.all(Array.from({ length: AT_ONCE }, client));
  return {
    asked,
    whole: () => asked.filter(({ isWhole }) => isWhole).length,
    isIdle: () => left <= 0,
    async stop(more) {
      left = more;
      stopping = true;
      await clients;
    },
  };
}

interface Call {
  readonly path: string;
  body(tag: string): Readonly<Record<string, unknown>>;
  isWhole(text: string): boolean;
}

const messages = [{ role: "user", content: "Say hi" }];
const CALLS: readonly Call[] = [
  {
    path: "/v1/chat/completions",
    body: (user) => ({ model: "m", max_tokens: 100, user, messages }),
    isWhole: isJson,
  },
  {
    path: "/v1/chat/completions",
    body: (user) => ({
      model: "m",
      max_tokens: 100,
      user,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    }),
    isWhole: (text) => text.includes("data: [DONE]"),
  },
  {
    path: "/v1/messages",
    body: (user_id) => ({ model: "m", max_tokens: 100, metadata: { user_id }, messages, stream: true }),
    isWhole: (text) => /^data: .*"type":"message_stop"/mu.test(text),
  },
  {
    path: "/v1/responses",
    body: (user) => ({ model: "m", max_output_tokens: 100, user, input: "Say hi" }),
    isWhole: isJson,
  },
];

async function askOnce(url: string, one: AskedOnce, call: Call): Promise<void> {
  let text = "";
  try {
    const answer = await fetch(url + call.path, {
      method: "POST",
      headers: { authorization: `Bearer sk-demo-${one.key}`, "content-type": "application/json" },
      body: JSON.stringify(call.body(one.tag)),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    one.status = answer.status;
    const decoder = new TextDecoder();
    for await (const piece of answer.body!) text += decoder.decode(piece as Uint8Array, { stream: true });
  } catch {
    // The gateway is gone, at whatever point: what has come until then is what the client has.
  }
  if (one.status !== 200 || !call.isWhole(text)) return;
  one.isWhole = true;
  one.cost = costIn(text);
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** What the usage in an answer costs, as whoever gets a bill would check it. */
function costIn(text: string): bigint {
  const documents = text.startsWith("{")
    ? [text]
    : [...text.matchAll(/^data: (\{.*\})$/gmu)].map(([, json]) => json!);
  const usage: Record<string, unknown> = {};
  for (const json of documents) {
    const {
      usage: own,
      response,
      message,
    } = JSON.parse(json) as Record<string, { usage?: object } | undefined>;
    Object.assign(usage, own, response?.usage, message?.usage);
  }
  const count = (value: unknown): bigint => BigInt(typeof value === "number" ? value : 0);
  const details = (usage["prompt_tokens_details"] ?? usage["input_tokens_details"]) as
    { readonly cached_tokens?: number } | undefined;
  const cached = count(details?.cached_tokens ?? usage["cache_read_input_tokens"]);
  const written = count(usage["cache_creation_input_tokens"]);
  const prompt = count(usage["prompt_tokens"] ?? usage["input_tokens"]);
  // In Anthropic's usage what was cached is not part of the input.
  const input = "cache_read_input_tokens" in usage ? prompt : prompt - cached;
  const { input: perInput, cachedInput, cacheWrite, output } = TORTURE_PRICES;
  const answered = count(usage["completion_tokens"] ?? usage["output_tokens"]) * output;
  return input * perInput + cached * cachedInput + written * cacheWrite + answered;
}
