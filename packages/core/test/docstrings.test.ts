import { readdirSync, readFileSync } from "node:fs";
import * as core from "@quota/core";
import { expect, it, test } from "vitest";

const source = new URL("../src/", import.meta.url);

/** A statement of an example, what must run before it, and what the comment beside it says that it answers. */
interface Claim {
  readonly file: string;
  readonly before: string;
  readonly expression: string;
  readonly comment: string;
}

const claims = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const text = readFileSync(new URL(file, source), "utf8");
    return [...text.matchAll(/@example\n([^]*?)\n \*\//g)].flatMap(([, block = ""]) =>
      claimsOf(file, block.replaceAll(/^ \* ?/gm, "")),
    );
  });

/** What some examples take for granted. */
const terms = core.parsePoolTerms({
  connectionId: "kimi-demo",
  name: "Team",
  allocations: [{ apiKeyId: "bob", weight: 30 }],
});
const budget = core.parseBudget({ limitUsd: 20, period: "month", timeZone: "Europe/Paris" }, 0);
const prices = core.parseModelPrices({ input: 3, output: 15 });
const granted = {
  subject: { kind: "key", id: "alice" },
  budget: budget.ok ? budget.value : undefined,
  span: { opens: 0, ends: 86_400_000 },
  prices: prices.ok ? prices.value : undefined,
  pool: terms.ok ? terms.value : undefined,
  plan: core.resolvePlan({ connectionId: "kimi-demo", provider: "kimi" }),
};

test.each(claims)("$file: $expression", ({ before, expression, comment }) => {
  const answer = run(`${before}\nreturn (${expression}\n);`);
  const expected = valueIn(comment);
  if (expected === undefined) return;
  const { value } = expected;
  if (typeof value === "object" && value !== null) expect(answer).toMatchObject(value);
  else expect(answer).toBe(value);
});

it("finds the examples, and most of them say what comes out", () => {
  expect(claims.length).toBeGreaterThan(15);
  expect(claims.filter(({ comment }) => valueIn(comment) !== undefined).length).toBeGreaterThan(12);
});

function claimsOf(file: string, code: string): readonly Claim[] {
  const found: Claim[] = [];
  let before = "";
  let statement = "";
  let lastName = "";
  let trailing = "";
  for (const line of code.split("\n")) {
    const [, comment] = /^\/\/ (.*)$/.exec(line) ?? [];
    if (comment !== undefined) {
      trailing += ` ${comment}`;
      continue;
    }
    const [, end, said = ""] = /^(.*);(?:\s*\/\/ (.*))?$/.exec(line) ?? [];
    statement += `${end ?? line}\n`;
    if (end === undefined) continue;
    if (statement.startsWith("const ")) {
      lastName = /^const (\w+)/.exec(statement)?.[1] ?? "";
      before += `${statement.trimEnd()};\n`;
    } else found.push({ file, before, expression: statement.trim(), comment: said });
    statement = "";
  }
  if (trailing !== "") found.push({ file, before, expression: lastName, comment: trailing.trim() });
  return found;
}

/** The value that a comment names: all of it, or what comes after "= ", or the object in it. `…` leaves the rest open. */
function valueIn(comment: string): { readonly value: unknown } | undefined {
  const text = comment.replace(/,? … ?/, " ");
  const candidates = [text, /{.*}/.exec(text)?.[0], /.*= (.*)/.exec(text)?.[1]];
  for (const candidate of candidates) {
    if (candidate === undefined || candidate === "") continue;
    try {
      return { value: run(`return (${candidate});`) };
    } catch (error) {
      // Prose, not a value.
      if (!(error instanceof SyntaxError || error instanceof ReferenceError)) throw error;
    }
  }
  return undefined;
}

function run(code: string): unknown {
  const names = { ...core, ...granted };
  // The examples are text; running them is the point.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
  return new Function(...Object.keys(names), code)(...Object.values(names)) as unknown;
}
