import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { compareRules, FIGURES, tableOf } from "@quota/simulator";
import { readArguments } from "../src/cli/readArguments.js";
import { sectionsOf } from "../src/cli/sectionsOf.js";
import { traceOf } from "../src/cli/traceOf.js";

const page = await pageNamed("simulator");

it.each(["simulator", "lending"])("docs/%s.md shows the table that its command prints", async (name) => {
  const [, command = "", shown = ""] =
    /```\nnpx -y pnpm simulate (.+)\n```\n\n```\n([^]*?)\n```/u.exec(await pageNamed(name)) ?? [];
  const asked = readArguments(command.split(" "));
  const { traffic, rules, seed } = asked;
  const trace = traffic.from === "scripts" ? undefined : await traceOf(traffic, { seed, at: (path) => path });
  const [{ workload } = expect.fail("The page has no command.")] = sectionsOf(asked, trace);
  expect(tableOf(await compareRules({ workload, rules, seed }))).toBe(shown);
});

it("the page says what every column means", () => {
  for (const { title } of FIGURES) expect(page).toContain(`| \`${title}\``);
});

function pageNamed(name: string): Promise<string> {
  return readFile(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
}
