import { join } from "node:path";
import { finished } from "node:stream/promises";
import { Pool } from "undici";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";
import { startPrinting, startProgram } from "./startProgram.js";

const ADMIN = "bench-admin-token";
const upstream = await startProgram<{ readonly port: number }>("serveUpstream");
const upstreamUrl = `http://127.0.0.1:${upstream.first.port}`;
const bare = await startProgram<{ readonly port: number }>("passThrough", [upstreamUrl]);
const gateway = await startPrinting(
  join(import.meta.dirname, "..", "apps", "demo", "dist", "main.js"),
  {
    PORT: "0",
    DATA_DIR: scratchFolder(),
    LOG_LEVEL: "warn",
    QUOTA_ADMIN_TOKEN: ADMIN,
    UPSTREAM_BASE_URL: upstreamUrl,
    UPSTREAM_API_KEY: "sk-upstream",
    UPSTREAM_PROVIDER: "openai",
  },
  /^ready (http\S+)$/m,
);
const gatewayUrl = gateway.match[1]!;
await setPlan();

const viaGateway = new Pool(gatewayUrl, { connections: 1 });
const viaBare = new Pool(`http://127.0.0.1:${bare.first.port}`, { connections: 1 });
const medians = await inTurns(
  {
    bareJson: () => answered(viaBare, false).then(({ end }) => end),
    gatewayJson: () => answered(viaGateway, false).then(({ end }) => end),
    bareStream: () => answered(viaBare, true).then(({ firstByte }) => firstByte),
    gatewayStream: () => answered(viaGateway, true).then(({ firstByte }) => firstByte),
  },
  { rounds: 1_000, warmUps: 1_000 },
);
await Promise.all([viaGateway.destroy(), viaBare.destroy()]);
await Promise.all([gateway.stop(), bare.stop(), upstream.stop()]);

await saveResult(
  "gateway",
  [
    row("JSON, whole answer, p50", medians.gatewayJson, medians.bareJson),
    row("stream, time to first byte, p50", medians.gatewayStream, medians.bareStream),
  ],
  ["one request at a time, alternating; both pass on to the same upstream process, which answers at once"],
);

function row(what: string, ours: number, peer: number): Measurement {
  return {
    work: `gateway: ${what}`,
    unit: "ms",
    ours: {
      name: "@quota/demo",
      value: ours,
      guarantee:
        "key checked; 2 dimensions, key and pool, holds included, atomic, in SQLite before the upstream is asked; tokens measured, settled",
    },
    peer: { name: "bare Express pass-through", value: peer, guarantee: "passes bytes on; no key, no quota" },
    target: { of: "difference", atMost: 0.5 },
  };
}

/** Milliseconds from asking to the first byte of the body, and to its end. */
async function answered(
  pool: Pool,
  stream: boolean,
): Promise<{ readonly firstByte: number; readonly end: number }> {
  const asked = performance.now();
  let firstByte = NaN;
  const { statusCode, body } = await pool.request({
    method: "POST",
    path: "/v1/chat/completions",
    headers: { "content-type": "application/json", authorization: "Bearer sk-demo-alice" },
    body: JSON.stringify({
      model: "any-model",
      stream,
      messages: [{ role: "user", content: "Good morning. ".repeat(20) }],
    }),
  });
  body.once("data", () => (firstByte = performance.now() - asked));
  await finished(body);
  if (statusCode !== 200) throw new Error(`The answer was ${statusCode}.`);
  return { firstByte, end: performance.now() - asked };
}

async function setPlan(): Promise<void> {
  const answer = await fetch(`${gatewayUrl}/api/quota/plans/upstream`, {
    method: "PUT",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify({
      dimensions: [
        { unit: "requests", window: "hourly", limit: 1_000_000_000 },
        { unit: "tokens", window: "5h", limit: 1_000_000_000_000 },
      ],
    }),
  });
  if (!answer.ok) throw new Error(`The plan was answered ${answer.status}: ${await answer.text()}`);
}
