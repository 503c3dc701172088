import type { Logger } from "@quota/engine";
import { createMeter, type MeasuredAnswer, type Meter } from "@quota/http";
import type { Request, Response } from "express";
import { tapResponse } from "./tapResponse.js";

/** Looks at the bytes of one answer: at the upstream's, where a gateway hands them over, else at what passes through the response. */
export interface AnswerMeter {
  observe(chunk: Uint8Array): void;
  /** What was seen until now; undefined while that is nothing. */
  soFar(): MeasuredAnswer | undefined;
  /** What was seen; undefined where the bytes say nothing about use, or were compressed. */
  finish(): MeasuredAnswer | undefined;
  /** Whether an answer that is whole says that it is JSON and is not. */
  isBroken(): boolean;
}

export function createAnswerMeter(
  { request, response }: { readonly request: Request; readonly response: Response },
  {
    measure,
    logger,
  }: {
    readonly measure: ((request: Request, response: Response) => Meter | undefined) | undefined;
    readonly logger: Logger | undefined;
  },
): AnswerMeter {
  let source: "response" | "upstream" = "response";
  let meter: Meter | undefined;
  let firstByte: number | undefined;
  let result: MeasuredAnswer | undefined;

  // The answer to HEAD has no bytes, whatever its handler writes.
  if (request.method !== "HEAD") tapResponse(response, look);

  function look(chunk: unknown, encoding: unknown): void {
    if (source === "upstream" || (firstByte !== undefined && meter === undefined)) return;
    if (typeof chunk === "string")
      see(Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8"));
    else if (chunk instanceof Uint8Array) see(chunk);
  }

  function see(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    try {
      if (firstByte === undefined) {
        firstByte = chunk[0]!;
        meter = begin();
      }
      meter?.push(chunk);
    } catch (err) {
      failed(err);
    }
  }

  function failed(err: unknown): void {
    meter = undefined;
    logger?.warn({ scope: "quota:measure", err }, "An answer's meter failed; its estimate is charged.");
  }

  function begin(): Meter | undefined {
    if (measure !== undefined) return measure(request, response);
    return source === "upstream" || isMeasurable(response) ? createMeter() : undefined;
  }

  return {
    observe(chunk) {
      if (source === "response") {
        source = "upstream";
        firstByte = undefined;
        meter = undefined;
      }
      see(chunk);
    },
    soFar() {
      try {
        return meter?.soFar();
      } catch (err) {
        failed(err);
        return undefined;
      }
    },
    finish() {
      result = meter?.finish();
      return result;
    },
    isBroken() {
      if (result === undefined || result.ended || !isJson(contentType(response))) return false;
      // A document that is a number, a text or a word has nothing to measure and no end that a meter knows.
      return !/["\d\-tfn]/u.test(String.fromCharCode(firstByte!));
    },
  };
}

/** Whether bytes that pass through the response may say something of use: JSON or events, not compressed. */
function isMeasurable(response: Response): boolean {
  const encoding = response.getHeader("content-encoding");
  if (encoding !== undefined && encoding !== "" && encoding !== "identity") return false;
  const type = contentType(response);
  return isJson(type) || type.startsWith("text/event-stream");
}

function isJson(type: string): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/u.test(type);
}

function contentType(response: Response): string {
  return String(response.getHeader("content-type") ?? "").toLowerCase();
}
