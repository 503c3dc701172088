import { isRecord, type Fault } from "@quota/core";
import { sendAnswer } from "@quota/express";
import { buildBadRequest } from "@quota/http";
import type { Response } from "express";
import type { z } from "zod";
import { bodyFaults } from "./bodyFaults.js";

/**
 * A body in the shape of its schema; undefined when 400 was answered, with everything that is wrong. `check` looks at what a schema
 * cannot know, in whatever shape the body came.
 */
export function parsedBody<Body>(
  { body, response }: { readonly body: unknown; readonly response: Response },
  schema: z.ZodType<Body>,
  check: (body: Readonly<Record<string, unknown>>) => readonly Fault[] = () => [],
): Body | undefined {
  const result = schema.safeParse(body);
  const shapeless = result.success ? [] : bodyFaults(result.error.issues);
  const faults = [...shapeless, ...(isRecord(body) ? check(body) : [])];
  if (result.success && faults.length === 0) return result.data;
  sendAnswer(response, buildBadRequest(faults));
  return undefined;
}
