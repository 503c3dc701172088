import { usdText, type NanoUsd, type SpentTokens } from "@quota/core";
import type { BudgetsFirst, SpendLedger, SpendQueue } from "@quota/engine";
import type { ChargedRequest } from "@quota/express";
import { outputLimit, type RequestEstimate } from "@quota/http";
import type { Request, Response } from "express";
import type { Logger } from "pino";
import type { ApiKeys } from "../apiKeys.js";
import { requestIdOf } from "../failures.js";
import { contextOf, type ProxyLocals } from "../requestContext.js";
import type { PriceBook } from "./createPriceBook.js";
import type { SpendIntake } from "./createSpendIntake.js";
import type { UpstreamWatch } from "./createUpstreamWatch.js";
import { payersOf } from "./payersOf.js";
import { spendEventOf, type SpendingRequest } from "./spendEventOf.js";

/** What money has to do with one request after the other. */
export interface SpendDesk {
  /** Who pays for a request that was authenticated, and for what. */
  open(request: Request): SpendingRequest;
  /** The estimate with what it costs, and the most that the request may cost, which budgets ask for. */
  estimated(request: Request, estimate: RequestEstimate): RequestEstimate;
  /** In US dollars. */
  costOf(request: Request, tokens: SpentTokens): number | undefined;
  /** Hands the event of a charged request in; what costs nothing has none. */
  charged(request: Request, charged: ChargedRequest): void | Promise<void>;
  /** Begins to ask what a key has spent, for the head of its answer. What cannot be read in time is left out. */
  headersOf(response: Response): () => Promise<ReadonlyMap<string, string>>;
}

/** What a request that sets no limit is taken to ask for, for each of its answers. */
const UNSTATED_LIMIT = { max_tokens: 4_096 };

/** How long the head of an answer waits for what its key has spent, when all the rest of it is there. */
const HEADER_WAIT_MS = 100;

const KEY_SPEND = "x-litellm-key-spend";

export function createSpendDesk(parts: {
  readonly keys: Pick<ApiKeys, "get">;
  readonly book: PriceBook;
  readonly intake: Pick<SpendIntake, "take">;
  readonly budgeted: Pick<BudgetsFirst, "answer" | "heldOf">;
  readonly upstreams: Pick<UpstreamWatch, "used">;
  readonly ledger: Pick<SpendLedger, "total">;
  readonly queue: Pick<SpendQueue, "hotSpend">;
  readonly now: () => number;
  readonly log: Logger;
}): SpendDesk {
  const { keys, book, intake, budgeted, upstreams, ledger, queue, now, log } = parts;

  function pricedBy(request: Request) {
    const { connection } = contextOf(request);
    return { connection, model: openedOf(request).model ?? "" };
  }

  async function keySpend(id: string): Promise<ReadonlyMap<string, string>> {
    const key = { kind: "key", id } as const;
    try {
      // In the direction in which money moves: what is carried over meanwhile is told twice for once, and never not at all.
      const hot = await queue.hotSpend(key);
      const written = await ledger.total(key);
      return new Map([[KEY_SPEND, usdText(written + hot)]]);
    } catch (error) {
      log.debug({ scope: "gateway:spend", error }, "what a key has spent cannot be read");
      return NOTHING;
    }
  }

  return {
    open(request) {
      const { apiKey, connection, json } = contextOf(request);
      const key = keys.get(apiKey.id) ?? { id: apiKey.id, teamId: null, orgId: null };
      const model = json?.["model"];
      const opened: SpendingRequest = {
        requestId: requestIdOf(request.res!),
        subjects: payersOf(key, { json, project: request.headers["x-quota-project"] }),
        estimate: "unpriced",
        startedAt: now(),
        connection,
        model: typeof model === "string" ? model : undefined,
      };
      (request.res!.locals as ProxyLocals).spending = opened;
      return opened;
    },
    estimated(request, estimate) {
      const { promptTokens, countedPromptTokens, tokens } = estimate;
      const opened = openedOf(request);
      const priced = pricedBy(request);
      const output = tokens - promptTokens;
      const { json } = contextOf(request);
      const limit = outputLimit(json) ?? Math.max(output, outputLimit({ ...json, ...UNSTATED_LIMIT }) ?? 0);
      const most = {
        promptTokens: Math.max(promptTokens, countedPromptTokens),
        outputTokens: request.path.endsWith("/embeddings") ? 0 : limit,
      };
      opened.estimate = book.bound({ ...priced, ...most }, opened.startedAt);
      const cost = book.cost(
        { ...priced, tokens: { input: promptTokens, cachedInput: 0, cacheWrite: 0, output, reasoning: 0 } },
        opened.startedAt,
      );
      return cost === "unpriced" ? estimate : { ...estimate, usd: dollars(cost) };
    },
    costOf(request, tokens) {
      const cost = book.cost({ ...pricedBy(request), tokens }, openedOf(request).startedAt);
      return cost === "unpriced" ? undefined : dollars(cost);
    },
    charged(request, { lease, settlement, tokens, outcome }) {
      if (settlement.action === "release") return;
      const opened = openedOf(request);
      const cost =
        tokens === undefined ? "unpriced" : book.cost({ ...pricedBy(request), tokens }, opened.startedAt);
      if (settlement.actual.tokens !== undefined)
        upstreams.used(opened.connection.id, settlement.actual.tokens);
      const { startedAt } = budgeted.heldOf(lease) ?? opened;
      const event = spendEventOf(opened, { cost, startedAt, tokens, outcome: outcome.kind }, now());
      return intake.take(event, () => budgeted.answer(lease, cost));
    },
    headersOf(response) {
      const { apiKey } = response.locals as ProxyLocals;
      const reading = keySpend(apiKey!.id);
      return () => inTime(reading);
    },
  };
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** @throws {TypeError} for a request that was not opened. */
function openedOf(request: Request): SpendingRequest {
  const { spending } = request.res!.locals as ProxyLocals;
  if (spending === undefined) throw new TypeError("Nobody has said who pays for this request.");
  return spending;
}

/** The nearest double: as grains of a pool it is the same nano-dollars again. */
function dollars(cost: NanoUsd): number {
  return cost / 1e9;
}

async function inTime(reading: Promise<ReadonlyMap<string, string>>): Promise<ReadonlyMap<string, string>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ReadonlyMap<string, string>>((resolve) => {
    timer = setTimeout(() => resolve(NOTHING), HEADER_WAIT_MS);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
