import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { tokensOfBytes } from "./countTokens.js";
import type { FailureKind } from "./simulatorOptions.js";

/** A part of an answer. */
export interface AnswerPart {
  readonly bytes: Buffer;
  /** Bytes of model text in it. */
  readonly textBytes: number;
  /** Whether delays and the half-way point count it; the frame around the text is not counted. */
  readonly piece: boolean;
}

export interface AnswerPlan {
  readonly response: ServerResponse;
  readonly parts: Iterable<AnswerPart>;
  /** After so many pieces comes what was planned for half-way. */
  readonly halfway: number;
  readonly failure: FailureKind | "none";
  readonly errorEvent: string;
  readonly splitBytes: number | "whole-events";
  readonly chunkDelayMs: number;
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
  readonly reset: () => void;
  /** Resolves when the option `pause` lets the second half through. */
  readonly pauseHalfway: () => Promise<void>;
  readonly onTokens: (tokens: number) => void;
  readonly onBlocked: (by: 1 | -1) => void;
}

/** Writes an answer as fast as its reader takes it, breaks it where told to, and stops when the client is gone. */
export async function sendAnswer(plan: AnswerPlan): Promise<void> {
  let [pieces, textBytes, passedHalf] = [0, 0, false];
  for (const part of plan.parts) {
    let { bytes } = part;
    if (part.piece && pieces > 0 && plan.chunkDelayMs > 0) await sleep(plan.chunkDelayMs, plan.gone);
    if (!passedHalf && pieces >= plan.halfway) {
      passedHalf = true;
      await plan.pauseHalfway();
      const next = await troubles.get(plan.failure)?.(plan, bytes);
      if (next === "over" || plan.gone.aborted) return;
      bytes = next ?? bytes;
    }
    await write(plan, bytes);
    if (plan.gone.aborted) return;
    if (part.piece) pieces += 1;
    plan.onTokens(tokensOfBytes(textBytes + part.textBytes) - tokensOfBytes(textBytes));
    textBytes += part.textBytes;
  }
  plan.response.end();
}

type Trouble = (plan: AnswerPlan, bytes: Buffer) => Buffer | "over" | Promise<Buffer | "over">;

/** What happens at the half-way point: the bytes to go on with, or that nothing more is to be sent. */
const troubles = new Map<FailureKind | "none", Trouble>([
  [
    "reset-mid-stream",
    async ({ gone, reset }): Promise<"over"> => {
      // A reset throws away what still waits in the reader's socket: give it a moment to be read.
      await sleep(20, gone);
      reset();
      return "over";
    },
  ],
  [
    "stalls-mid-stream",
    async ({ gone }): Promise<"over"> => {
      await aborted(gone);
      return "over";
    },
  ],
  ["end-mid-stream", ({ response }) => over(response)],
  ["cut-in-character", ({ response }, bytes) => over(response, cutInCharacter(bytes))],
  ["error-event", ({ response, errorEvent }) => over(response, errorEvent)],
  [
    "bad-json",
    (_, bytes) => Buffer.concat([bytes.subarray(0, Math.floor(bytes.length / 2)), Buffer.from("\n\n")]),
  ],
]);

function over(response: ServerResponse, last: Buffer | string = ""): "over" {
  response.end(last);
  return "over";
}

/** Everything up to the first byte of the first character that has several; where there is none, one is begun. */
function cutInCharacter(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  if (first >= 0) return bytes.subarray(0, first + 1);
  return Buffer.concat([bytes.subarray(0, Math.floor(bytes.length / 2)), Buffer.from("☀").subarray(0, 1)]);
}

async function write(plan: AnswerPlan, bytes: Buffer): Promise<void> {
  const size = plan.splitBytes === "whole-events" ? bytes.length : plan.splitBytes;
  for (let start = 0; start < bytes.length; start += size) {
    if (plan.gone.aborted) return;
    const taken = plan.response.write(bytes.subarray(start, start + size));
    if (!taken) await drained(plan);
    // A turn of the loop between two pieces keeps the kernel from joining them again.
    else if (plan.splitBytes !== "whole-events") await nextTurn();
  }
}

async function drained({ response, gone, onBlocked }: AnswerPlan): Promise<void> {
  onBlocked(1);
  await new Promise<void>((resolve) => {
    const over = (): void => {
      response.off("drain", over);
      gone.removeEventListener("abort", over);
      resolve();
    };
    response.on("drain", over);
    gone.addEventListener("abort", over);
    if (gone.aborted) over();
  });
  onBlocked(-1);
}

/** Waits, but not longer than the client does. */
export function sleep(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      gone.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, gone.aborted ? 0 : ms);
    gone.addEventListener("abort", over);
  });
}

/** Resolves when the client is gone. */
export function aborted(gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener("abort", () => resolve(), { once: true });
  });
}
