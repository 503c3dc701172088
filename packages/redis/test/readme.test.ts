import * as engine from "@quota/engine";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as redis from "../src/index.js";
import { redisClientOptions, redisClusterOptions } from "../src/index.js";
import { places } from "./places.js";

const modules = { "@quota/engine": engine, "@quota/redis": redis };
const text = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), "utf8");

describeWithRedis("the README", () => {
  const place = places();

  test("has an example that prints what stands below it", async () => {
    const { server } = await place();
    const readme = await text("../README.md");
    const [, code = "", printed = ""] = /```ts\n([^]*?)```\n+```\n([^]*?)```/.exec(readme) ?? [];
    const body = code
      .replace("redis://localhost:6379", server.url)
      .replaceAll(/^import \{([^}]*)\} from ("[^"]+");/gm, "const {$1} = modules[$2];");
    const lines: string[] = [];
    const console = { log: (line: string) => lines.push(line) };
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- the text of a page is what is tested
    await new Function("modules", "console", `return (async () => {${body}})();`)(modules, console);
    expect(printed).not.toBe("");
    expect(`${lines.join("\n")}\n`).toBe(printed);
  });
});

test("docs/redis.md says truly how a client is set", async () => {
  const page = await text("../../../docs/redis.md");
  const { redisOptions, ...cluster } = redisClusterOptions();
  const settings = { ...redisOptions, ...cluster };
  const said = [...page.matchAll(/`(\w+): (\w+)`/g)].map(([, name = "", value = ""]) => [name, value]);
  expect(said).toHaveLength(4);
  for (const [name, value] of said) expect(String(settings[name as keyof typeof settings])).toBe(value);
  expect(page).toContain(`${String(redisClientOptions().socketTimeout)} ms is given up`);
});
