import { parseModelPrices } from "@quota/core";
import { z } from "zod";

/** What a model costs, in US dollars per million tokens. Left out: cached input and cache writes cost what input does, reasoning what output does. */
export type ModelPriceSpec = Readonly<z.output<typeof modelPrice>>;

/** Names every model that the list does not name itself. */
export const ANY_MODEL = "*";

const price = z.number("must be a number of US dollars per million tokens.");

const modelPrice = z
  .strictObject(
    {
      model: z
        .string("must be a text.")
        .min(1, `must not be empty; "${ANY_MODEL}" is every model.`)
        .max(256, "is too long."),
      input: price,
      cachedInput: price.optional(),
      cacheWrite: price.optional(),
      output: price,
      reasoning: price.optional(),
    },
    "must be an object: { model, input, output }.",
  )
  .superRefine((spec, context) => {
    const prices = parseModelPrices(spec);
    for (const { path, message } of prices.ok ? [] : prices.faults)
      context.addIssue({ code: "custom", path: [path], message: message.slice(path.length).trim() });
  });

/** A list of prices as a connection has one: each model once. */
export const modelPriceList = z
  .array(modelPrice, "must be a list of prices.")
  .max(1000, "must have at most 1000 prices.")
  .superRefine((prices, context) => {
    const seen = new Set<string>();
    prices.forEach(({ model }, i) => {
      if (seen.has(model))
        context.addIssue({
          code: "custom",
          path: [i, "model"],
          message: "stands there already; leave one out.",
        });
      seen.add(model);
    });
  });
