import { idFault } from "@quota/core";
import { z } from "zod";
import { baseUrlProblem } from "./baseUrl.js";
import { SIMULATOR } from "./connections.js";

const id = z.string("must be a text.").superRefine((value, context) => {
  const fault = idFault(value, "It");
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault.message });
});

const baseUrl = z.string("must be an address.").superRefine((value, context) => {
  if (value === SIMULATOR) return;
  const problem = baseUrlProblem(value);
  if (problem !== undefined) context.addIssue({ code: "custom", message: `baseUrl ${problem}` });
});

// Of the hop, of the body and of the gateway: no secret belongs in these.
const FORBIDDEN_HEADERS = new Set(["host", "content-length", "transfer-encoding", "connection", "expect"]);

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, "must be the name of a header.")
  .refine((name) => !FORBIDDEN_HEADERS.has(name.toLowerCase()), "is no header for a secret.");

const headerValue = z
  .string()
  .min(1, "must not be empty.")
  .max(16_384, "is too long for a header.")
  .refine(fitsHeader, "must be one line that fits a header.");

const authHeaders = { header: headerName.optional(), headers: z.record(headerName, headerValue).optional() };

const auth = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("none") }),
    z.strictObject({ kind: z.literal("value"), ...authHeaders, value: headerValue }),
    z.strictObject({
      kind: z.literal("file"),
      ...authHeaders,
      path: z.string().min(1, "must not be empty."),
    }),
    z.strictObject({
      kind: z.literal("command"),
      ...authHeaders,
      command: z.array(z.string()).min(1, "must name a program."),
      ttlS: z.number().min(0).max(86_400).optional(),
      timeoutS: z.number().min(1).max(300).optional(),
    }),
  ],
  'must be { "kind": "none" }, or of kind "value", "file" or "command".',
);

const models = z.array(z.string().min(1)).min(1, "must name a model; leave it out for all.");
const dialects = z.array(z.enum(["openai", "anthropic"])).min(1, "must name a dialect.");
const provider = z.string("must be a text.").min(1, "must not be empty.").max(64, "is too long.");

export const connectionBody = z.strictObject({
  id,
  provider,
  baseUrl,
  models: models.optional(),
  dialects: dialects.optional(),
  auth: auth.default({ kind: "none" }),
});

export const connectionChangeBody = z.strictObject({
  provider: provider.optional(),
  baseUrl: baseUrl.optional(),
  models: models.nullable().optional(),
  dialects: dialects.nullable().optional(),
  auth: auth.optional(),
});

export const keyBody = z.strictObject({
  id: id.optional(),
  name: z.string().min(1, "must not be empty.").max(256, "is too long.").optional(),
});

function fitsHeader(value: string): boolean {
  return Array.from(value).every((character) => {
    const code = character.codePointAt(0)!;
    return code >= 0x20 && code <= 0xff && code !== 0x7f;
  });
}
