import { idFault } from "@quota/core";
import { z } from "zod";
import { baseUrlProblem } from "./baseUrl.js";
import { fitsHeader } from "./fitsHeader.js";
import { isSimulated } from "./simulated.js";
import { budgetBody } from "./spend/budgetBody.js";
import { modelPriceList } from "./spend/modelPriceSpec.js";

const id = z.string("must be a text.").superRefine((value, context) => {
  const fault = idFault(value, "");
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault.message.trim() });
  // A client's URL parser takes these out of a path, so nobody could ever ask for it again.
  if (value === "." || value === "..")
    context.addIssue({ code: "custom", message: "must not be . or .., which no URL can name." });
});

const baseUrl = z.string("must be an address.").superRefine((value, context) => {
  if (isSimulated(value)) return;
  const problem = baseUrlProblem(value);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

// Of the hop, of the body and of the gateway: no secret belongs in these, and some would break every request.
const FORBIDDEN_HEADERS = new Set([
  ...["host", "connection", "keep-alive", "upgrade", "te", "trailer", "expect"],
  ...["content-length", "transfer-encoding", "content-encoding", "content-type", "accept-encoding"],
]);

const headerName = z
  .string("must be a text.")
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, "must be the name of a header.")
  .refine((name) => !FORBIDDEN_HEADERS.has(name.toLowerCase()), "is no header for a secret.");

const headerValue = z
  .string("must be a text.")
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
      path: z.string("must be a text.").min(1, "must not be empty."),
    }),
    z.strictObject({
      kind: z.literal("command"),
      ...authHeaders,
      command: z
        .array(z.string("must be a text."), "must be a list: a program and its arguments.")
        .min(1, "must name a program.")
        .refine(([program]) => program !== "", "must name a program."),
      ttlS: z
        .number("must be a number.")
        .min(0, "must not be negative.")
        .max(86_400, "must be at most 86400.")
        .optional(),
      timeoutS: z
        .number("must be a number.")
        .min(1, "must be at least 1.")
        .max(300, "must be at most 300.")
        .optional(),
    }),
  ],
  'must be { "kind": "none" }, or of kind "value", "file" or "command".',
);

const models = z
  .array(z.string("must be a text.").min(1, "must not be empty."), "must be a list of names.")
  .min(1, "must name a model; leave it out for all.");
const dialects = z
  .array(z.enum(["openai", "anthropic"], 'must be "openai" or "anthropic".'), "must be a list.")
  .min(1, "must name a dialect.");
const provider = z.string("must be a text.").min(1, "must not be empty.").max(64, "is too long.");

export const connectionBody = z.strictObject({
  id,
  provider,
  baseUrl,
  models: models.optional(),
  dialects: dialects.optional(),
  prices: modelPriceList.optional(),
  auth: auth.default({ kind: "none" }),
});

export const connectionChangeBody = z.strictObject({
  provider: provider.optional(),
  baseUrl: baseUrl.optional(),
  models: models.nullable().optional(),
  dialects: dialects.nullable().optional(),
  prices: modelPriceList.nullable().optional(),
  auth: auth.optional(),
});

const name = z.string("must be a text.").min(1, "must not be empty.").max(256, "is too long.");
const owner = z.string("must be a text, or null for none.");
const limit = z
  .number("must be a whole number per minute, or null for no limit.")
  .min(0, "must not be negative; 0 refuses everything, and null is no limit.")
  .max(Number.MAX_SAFE_INTEGER, "is too large to be counted; null is no limit.")
  .refine(Number.isInteger, "must be a whole number per minute.");
const limits = {
  rpm: limit.nullable().optional(),
  tpm: limit.nullable().optional(),
  budget: budgetBody,
};
const place = { teamId: owner.nullable().optional(), orgId: owner.nullable().optional(), ...limits };

export const keyBody = z.strictObject({ id: id.optional(), name: name.optional(), ...place });
export const keyChangeBody = z.strictObject({ name: name.optional(), ...place });

export const organisationBody = z.strictObject({ id, name: name.optional(), ...limits });
export const organisationChangeBody = z.strictObject({ name: name.optional(), ...limits });

const team = { name: name.optional(), orgId: owner.nullable().optional(), ...limits };
export const teamBody = z.strictObject({ id, ...team });
export const teamChangeBody = z.strictObject(team);
