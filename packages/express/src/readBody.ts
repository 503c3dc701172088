import { isRecord, type Fault } from "@quota/core";
import { InvalidInputError } from "@quota/engine";
import type { z } from "zod";

/**
 * A body whose shape is right and of which `check` (core's words for what a value may be) finds nothing wrong.
 *
 * @throws {InvalidInputError} with the faults of both, one for each place.
 */
export async function readBody<Body>(
  body: unknown,
  schema: z.ZodType<Body>,
  check: (body: Readonly<Record<string, unknown>>) => Promise<readonly Fault[]> | readonly Fault[],
): Promise<Body> {
  const shaped = schema.safeParse(body);
  const faults = isRecord(body) ? [...(await check(body))] : [];
  const places = new Set(faults.map(({ path }) => path));
  for (const fault of shaped.success ? [] : shaped.error.issues.flatMap(shapeFaults))
    if (!places.has(fault.path)) faults.push(fault);
  if (!shaped.success || faults.length > 0) throw new InvalidInputError(faults);
  return shaped.data;
}

function shapeFaults(issue: z.core.$ZodIssue): readonly Fault[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const path = pathText([...issue.path, key]);
      return {
        path,
        code: "unknown-member",
        message: `${path} is not known here; take it out, or spell it right.`,
      };
    });
  const path = pathText(issue.path);
  return [{ path, code: "wrong-shape", message: `${path === "" ? "The body" : path}: ${issue.message}.` }];
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${String(part)}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./u, "");
}
