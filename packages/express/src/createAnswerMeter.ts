import type { Logger } from "@quota/engine";
import { createMeter, type MeasuredAnswer, type Meter } from "@quota/http";
import type { Request, Response } from "express";
import { tapResponse } from "./tapResponse.js";

/** Looks at the bytes of one answer: at the upstream's, where a gateway hands them over, else at what passes through the response. */
export interface AnswerMeter {
  observe(chunk: Uint8Array): void;
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
  if (request.method !== "HEAD")
    tapResponse(response, (chunk) => {
      if (source === "response") see(chunk, () => (measure ?? meterByContentType)(request, response));
    });

  function see(chunk: Uint8Array, begin: () => Meter | undefined): void {
    if (chunk.length === 0) return;
    try {
      if (firstByte === undefined) {
        firstByte = chunk[0]!;
        meter = begin();
      }
      meter?.push(chunk);
    } catch (err) {
      meter = undefined;
      logger?.warn({ scope: "quota:measure", err }, "An answer's meter failed; its estimate is charged.");
    }
  }

  return {
    observe(chunk) {
      if (source === "response") {
        source = "upstream";
        firstByte = undefined;
        meter = undefined;
      }
      see(chunk, () => (measure === undefined ? createMeter() : measure(request, response)));
    },
    finish() {
      result = meter?.finish();
      return result;
    },
    isBroken() {
      if (result === undefined || result.ended || !isJson(response)) return false;
      // A document that is a number, a text or a word has nothing to measure and no end that a meter knows.
      return !/["\d\-tfn]/u.test(String.fromCharCode(firstByte!));
    },
  };
}

function meterByContentType(_request: Request, response: Response): Meter | undefined {
  if (isCompressed(response)) return undefined;
  return isJson(response) || contentType(response).startsWith("text/event-stream")
    ? createMeter()
    : undefined;
}

function isCompressed(response: Response): boolean {
  const encoding = response.getHeader("content-encoding");
  return encoding !== undefined && encoding !== "" && encoding !== "identity";
}

function isJson(response: Response): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/iu.test(contentType(response));
}

function contentType(response: Response): string {
  return String(response.getHeader("content-type") ?? "").toLowerCase();
}
