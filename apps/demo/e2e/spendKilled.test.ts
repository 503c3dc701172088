import { afterAll, expect, test } from "vitest";
import { temporaryDirectory } from "../test/temporaryDirectory.js";
import { buildDemo, startProcess } from "./startProcess.js";

const built = await buildDemo();
afterAll(() => built.remove());

const TOKEN = "the-admin-token";

interface Spend {
  readonly groups: readonly { readonly group: string | null; readonly requests: number }[];
}

test("whoever has a whole answer has paid for it, once, though the gateway is killed at that moment", async () => {
  const dataDir = temporaryDirectory();
  const start = () => startProcess(built.main, { env: { DATA_DIR: dataDir, QUOTA_ADMIN_TOKEN: TOKEN } });
  const whole = new Set<string>();
  const asked = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const gateway = start();
    const url = await gateway.ready;
    const ask = async (i: number): Promise<void> => {
      const user = `user-${String(round)}-${String(i)}`;
      asked.add(user);
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer sk-demo-alice", "content-type": "application/json" },
        body: JSON.stringify({
          model: "kimi-k2-0905-preview",
          stream: (round + i) % 2 === 0,
          user,
          messages: [{ role: "user", content: "hello" }],
        }),
      });
      const text = await answer.text();
      if (text.includes("[DONE]") || text.endsWith("}")) whole.add(user);
      if (i >= round * 3) gateway.child.kill("SIGKILL");
    };
    await Promise.allSettled(Array.from({ length: 12 }, (_each, i) => ask(i)));
    expect(await gateway.ended).toBe("SIGKILL");
  }
  expect(whole.size).toBeGreaterThan(0);

  const gateway = start();
  const url = await gateway.ready;
  const admin = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  await fetch(`${url}/api/spend/queue`, { method: "POST", headers: admin, body: '{"action":"retry"}' });
  const spend = (await (await fetch(`${url}/api/spend?groupBy=user`, { headers: admin })).json()) as Spend;
  const requests = new Map(spend.groups.map((each) => [each.group, each.requests]));
  for (const user of whole) expect(requests.get(user), user).toBe(1);
  for (const [user, times] of requests) expect([asked.has(user!), times]).toEqual([true, 1]);
}, 120_000);
