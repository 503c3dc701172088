import express, { type Router } from "express";
import { z } from "zod";
import { rangeProblem } from "../numberRange.js";
import { parsedBody } from "../parsedBody.js";
import type { SettingInForce, SharingSettings } from "./createSharingSettings.js";
import { SHARING_NAMES, SHARING_NUMBERS, type SharingName, type SharingNumber } from "./sharingNumbers.js";

/**
 * `GET` and `PUT /api/settings/sharing`, behind a check of the admin token: each number with who says so, what it may be and the variable that says it in the environment. A `PUT` changes those that it names;
 * `null` gives one back to the environment, or to the default.
 */
export function createSharingRouter(sharing: SharingSettings): Router {
  const router = express.Router();
  router.use(express.json({ limit: "64kb", strict: false, type: () => true }));
  router.get(
    "/",
    (_request, response) => void response.set("cache-control", "no-store").json(shown(sharing)),
  );
  router.put("/", async (request, response) => {
    const change = parsedBody({ body: request.body as unknown, response }, changeBody);
    if (change === undefined) return;
    await sharing.change(change);
    response.set("cache-control", "no-store").json(shown(sharing));
  });
  return router;
}

function shown(sharing: SharingSettings): SharingJson {
  const inForce = sharing.all();
  return eachNumber((name) => {
    const { least, most, variable } = SHARING_NUMBERS[name];
    return { ...inForce[name], least, most, variable };
  });
}

type SharingJson = Readonly<
  Record<SharingName, SettingInForce & Pick<SharingNumber, "least" | "most" | "variable">>
>;

function eachNumber<Made>(make: (name: SharingName) => Made): Record<SharingName, Made> {
  return Object.fromEntries(SHARING_NAMES.map((name) => [name, make(name)])) as Record<SharingName, Made>;
}

function numberIn(name: SharingName) {
  return z
    .unknown()
    .transform((value, context): number | null | undefined => {
      if (value === null || value === undefined) return value;
      const problem = rangeProblem(value, SHARING_NUMBERS[name]);
      if (problem === undefined) return value as number;
      context.addIssue({ code: "custom", message: problem.replace(/\.$/u, ", or null to take it back.") });
      return z.NEVER;
    })
    .optional();
}

const changeBody = z.strictObject(eachNumber(numberIn), "must be an object.");
