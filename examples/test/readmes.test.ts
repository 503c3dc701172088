import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as core from "@quota/core";
import * as engine from "@quota/engine";
import * as expressRoom from "@quota/express";
import * as http from "@quota/http";
import * as sqlite from "@quota/sqlite";
import express from "express";
import { expect, it, onTestFinished, test } from "vitest";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const readmeOf = (room: string): Promise<string> => readFile(join(packages, room, "README.md"), "utf8");

/** What the examples import, as they would from npm. */
const modules = {
  "@quota/core": core,
  "@quota/engine": engine,
  "@quota/express": expressRoom,
  "@quota/http": http,
  "@quota/sqlite": sqlite,
  express: { default: express },
};

it("every package has a README with its name and an example", async () => {
  for (const room of await readdir(packages)) {
    const readme = await readmeOf(room);
    expect(readme).toMatch(new RegExp(`^# @quota/${room}\n`));
    expect(readme).toMatch(/^```ts$/m);
  }
});

// The example of conformance is a suite: its own tests run it over every store.
test.each(["core", "engine", "express", "http", "sqlite"])(
  "the examples in the README of @quota/%s print what stands below them",
  async (room) => {
    const readme = await readmeOf(room);
    const examples = [...readme.matchAll(/```ts\n([^]*?)```\n+```\n([^]*?)```/g)];
    expect(examples.length).toBe(readme.split("```ts\n").length - 1);
    const directory = await mkdtemp(join(tmpdir(), "quota-readme-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    for (const [, code = "", printed = ""] of examples) {
      const lines: string[] = [];
      await run(code.replace('"storage.sqlite"', JSON.stringify(join(directory, "storage.sqlite"))), {
        log: (...words: unknown[]) => lines.push(words.map(String).join(" ")),
      });
      expect(printed).not.toBe("");
      expect(`${lines.join("\n")}\n`).toBe(printed);
    }
  },
);

/** Runs a module's text with a console of its own. Its imports become names taken out of {@link modules}. */
async function run(code: string, console: { log(...words: unknown[]): void }): Promise<void> {
  const body = code
    .replaceAll(/^import \{([^}]*)\} from ("[^"]+");/gm, "const {$1} = modules[$2];")
    .replaceAll(/^import (\w+) from ("[^"]+");/gm, "const { default: $1 } = modules[$2];");
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- the text of a page is what is tested
  await new Function("modules", "console", `return (async () => {${body}})();`)(modules, console);
}
