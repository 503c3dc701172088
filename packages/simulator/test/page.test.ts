import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { compareRules, FIGURES, tableOf } from "@quota/simulator";
import { readArguments } from "../src/cli/readArguments.js";
import { sectionsOf } from "../src/cli/sectionsOf.js";

const page = await readFile(new URL("../../../docs/simulator.md", import.meta.url), "utf8");

it("the page shows the table that its command prints", async () => {
  const [, command = "", shown = ""] =
    /```\nnpx -y pnpm simulate (.+)\n```\n\n```\n([^]*?)\n```/u.exec(page) ?? [];
  const asked = readArguments(command.split(" "));
  const [{ workload } = expect.fail("The page has no command.")] = sectionsOf(asked, undefined);
  expect(tableOf(await compareRules({ workload, rules: asked.rules, seed: asked.seed }))).toBe(shown);
});

it("the page says what every column means", () => {
  for (const { title } of FIGURES) expect(page).toContain(`| \`${title}\``);
});
