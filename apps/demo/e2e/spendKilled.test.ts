import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { openQuotaDatabase } from "@quota/sqlite";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../test/temporaryDirectory.js";
import { buildDemo, startProcess } from "./startProcess.js";

const built = await buildDemo();
afterAll(() => built.remove());

const TOKEN = "the-admin-token";

/** How long nothing can be written once the provider has answered: far less than the gateway waits. */
const LOCKED_MS = 300;

interface Spend {
  readonly groups: readonly { readonly group: string | null; readonly requests: number }[];
}

test("whoever has a whole answer has paid for it, once, though the gateway is killed at that moment", async () => {
  const provider = await startProvider();
  const dataDir = temporaryDirectory();
  const env = { DATA_DIR: dataDir, QUOTA_ADMIN_TOKEN: TOKEN, UPSTREAM_BASE_URL: provider.url };
  const killed = startProcess(built.main, { env });
  const url = await killed.ready;
  const ask = async (user: string, stream: boolean): Promise<string> => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-demo-alice", "content-type": "application/json" },
      body: JSON.stringify({ model: "m", stream, user, messages: [{ role: "user", content: "hello" }] }),
    });
    let text = "";
    // As a client that looks at what it has, and does not wait for the connection to say so.
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (isWhole(text)) break;
    }
    return text;
  };

  const whole = Promise.all([ask("of a document", false), ask("of a stream", true)]);
  await provider.asked(2);
  // From here on the queue can take nothing, so an answer that is there before the end of this is one that nobody has paid for.
  const db = await openQuotaDatabase({ file: join(dataDir, "storage.sqlite") });
  onTestFinished(() => db.close());
  await eventually(() => db.connection.exec("BEGIN IMMEDIATE"));
  provider.answer();
  const unlock = setTimeout(() => db.connection.exec("ROLLBACK"), LOCKED_MS);
  const [document, stream] = await whole;
  killed.child.kill("SIGKILL");
  expect(await killed.ended).toBe("SIGKILL");
  expect([document, stream].map(isWhole)).toEqual([true, true]);
  clearTimeout(unlock);
  if (db.connection.inTransaction) db.connection.exec("ROLLBACK");

  const next = startProcess(built.main, { env });
  const nextUrl = await next.ready;
  const admin = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  await fetch(`${nextUrl}/api/spend/queue`, { method: "POST", headers: admin, body: '{"action":"retry"}' });
  const spend = (await (
    await fetch(`${nextUrl}/api/spend?groupBy=user`, { headers: admin })
  ).json()) as Spend;
  expect(spend.groups.map(({ group, requests }) => [group, requests]).sort()).toEqual([
    ["of a document", 1],
    ["of a stream", 1],
  ]);
}, 120_000);

function isWhole(text: string): boolean {
  if (text.startsWith("data:")) return text.includes("[DONE]");
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A provider that is asked, and answers everybody when it is told to. */
async function startProvider() {
  let asked = 0;
  const answers: (() => void)[] = [];
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const isStream = (JSON.parse(text) as { readonly stream?: boolean }).stream === true;
    const json = JSON.stringify({ id: "1", choices: [], usage });
    answers.push(() =>
      isStream
        ? response.setHeader("content-type", "text/event-stream").end(`data: ${json}\n\ndata: [DONE]\n\n`)
        : response.setHeader("content-type", "application/json").end(json),
    );
    asked += 1;
  };
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    asked: (times: number) => expect.poll(() => asked, { timeout: 60_000, interval: 20 }).toBe(times),
    answer: () => answers.forEach((each) => each()),
  };
}

/** Until it does not throw: others may be writing. */
async function eventually(work: () => unknown): Promise<void> {
  for (;;)
    try {
      work();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
}
