import { parseSpendEvent, type Fault, type Parsed } from "@quota/core";
import type { DeadLetter, SpendAsked, SpendFlusher, SpendLedger, SpendQueue } from "@quota/engine";
import { sendAnswer } from "@quota/express";
import { buildBadRequest, buildProblem } from "@quota/http";
import express, { type Router } from "express";
import { z } from "zod";
import { conflict, notFound } from "../adminAnswers.js";
import { parsedBody } from "../parsedBody.js";
import type { SpendHealth } from "./createSpendHealth.js";
import { readSpend } from "./readSpend.js";

export interface SpendRouterParts {
  readonly ledger: Pick<SpendLedger, "spend" | "commit" | "deadLetters" | "closeDeadLetter">;
  readonly spendQueue: Pick<SpendQueue, "peekSpend" | "hotSpend">;
  readonly flusher: Pick<SpendFlusher, "flush" | "quarantine">;
  readonly spendHealth: SpendHealth;
  readonly now: () => number;
}

/** `/api/spend`, behind a check of the admin token: what was spent, how events get into the ledger, and those that could not. */
export function createSpendRouter(parts: SpendRouterParts): Router {
  const { ledger, spendQueue: queue, flusher, spendHealth, now } = parts;
  const router = express.Router();
  router.use(express.json({ limit: "1mb", strict: false, type: () => true }));
  router.use((_request, response, next) => {
    response.set("cache-control", "no-store");
    next();
  });

  router.get("/", async (request, response) => {
    const asked = parseAsked(request.query, now());
    if (!asked.ok) return sendAnswer(response, buildBadRequest(asked.faults));
    response.json(await readSpend({ ledger, queue }, asked.value, now()));
  });

  router.get("/queue", async (_request, response) => void response.json(await spendHealth.read()));
  router.post("/queue", async (request, response) => {
    const body = parsedBody({ body: request.body as unknown, response }, queueBody);
    if (body === undefined) return;
    if (body.action === "retry") await flusher.flush();
    else if (!(await flusher.quarantine(body.position)))
      return conflict(response, "The head of the queue is another by now, or can be read; look again.");
    response.json(await spendHealth.read());
  });

  router.get("/dead-letters", async (_request, response) => {
    response.json((await ledger.deadLetters()).map(letterJson));
  });
  router.post("/dead-letters", async (request, response) => {
    const body = parsedBody({ body: request.body as unknown, response }, letterBody);
    if (body === undefined) return;
    const find = async (): Promise<DeadLetter | undefined> =>
      (await ledger.deadLetters()).find(({ id }) => id === body.id);
    const letter = await find();
    if (letter === undefined) return notFound(response, "dead letter");
    if (letter.state !== "open") return conflict(response, `This letter was ${letter.state} already.`);
    if (body.action === "retry") {
      const event = eventIn(letter.raw);
      if (!event.ok) {
        const detail = `It still cannot be read: ${event.faults.map(({ message }) => message).join(" ")}`;
        return sendAnswer(response, buildProblem({ status: 422, detail }));
      }
      // Not through the queue, which knows its id for one that it has handed over.
      await ledger.commit([event.value], now());
    }
    const as = body.action === "retry" ? "retried" : "kept-aside";
    if (!(await ledger.closeDeadLetter(body.id, as, now())))
      return conflict(response, "Somebody else was faster; look again.");
    response.json(letterJson((await find())!));
  });
  return router;
}

const GROUPINGS = ["key", "team", "user", "organisation", "project", "model", "day"] as const;

/** What is shown where nobody says from when on. */
const DEFAULT_SPAN_MS = 30 * 86_400_000;

/** The first moment that a `Date` can name. */
const FIRST_DATE = -8.64e15;

const queueBody = z.discriminatedUnion(
  "action",
  [
    z.strictObject({ action: z.literal("retry") }),
    z.strictObject({ action: z.literal("keep-aside"), position: z.string("must be a text.") }),
  ],
  'must be { "action": "retry" }, or "keep-aside" with a position.',
);

const letterBody = z.strictObject(
  {
    id: z.string("must be a text."),
    action: z.enum(["retry", "keep-aside"], 'must be "retry" or "keep-aside".'),
  },
  "must be an object.",
);

function parseAsked(query: Readonly<Record<string, unknown>>, now: number): Parsed<SpendAsked> {
  const faults: Fault[] = [];
  const groupBy = GROUPINGS.find((each) => each === (query["groupBy"] ?? "key"));
  if (groupBy === undefined) faults.push(fault("groupBy", `groupBy must be one of ${GROUPINGS.join(", ")}.`));
  const moment = (name: string, otherwise: number): number => {
    const text = query[name];
    if (text === undefined) return otherwise;
    const at = typeof text === "string" ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) faults.push(fault(name, `${name} must be a date such as 2026-03-01T00:00:00Z.`));
    return at;
  };
  // What ended in this very millisecond is in it.
  const to = moment("to", now + 1);
  const from = moment("from", Math.max(to - DEFAULT_SPAN_MS, FIRST_DATE));
  if (from > to) faults.push(fault("from", "from must not be after to."));
  if (faults.length > 0 || groupBy === undefined) return { ok: false, faults };
  return { ok: true, value: { groupBy, from, to } };
}

function fault(path: string, message: string): Fault {
  return { path, code: "malformed", message };
}

function eventIn(raw: string): ReturnType<typeof parseSpendEvent> {
  try {
    return parseSpendEvent(JSON.parse(raw));
  } catch {
    return { ok: false, faults: [fault("", "It is no JSON.")] };
  }
}

function letterJson({ id, raw, why, requestId, keptAt, state }: DeadLetter) {
  return {
    id,
    raw,
    why,
    ...(requestId !== undefined && { requestId }),
    keptAt: new Date(keptAt).toISOString(),
    state,
  };
}
