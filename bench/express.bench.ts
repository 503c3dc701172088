import { Pool } from "undici";
import { atOnce } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { startProgram } from "./startProgram.js";
import { keyId } from "./team.js";

/*
 * What is compared: one app with one answer, and in it nothing, express-rate-limit with the memory store it brings, or quota(). All of them
 * read the key from the same header. Only the app's own process is measured, its compiler and garbage collector included.
 */
const REQUESTS = 300;
const WIDTH = 8;
const KEYS = 100;

/** The load comes from this process; every app runs in its own, and is asked for the processor time it took. */
const start = async (middleware: string) => {
  const app = await startProgram<{ readonly port: number }>("serveExpress", [middleware]);
  const client = new Pool(`http://127.0.0.1:${app.first.port}`, { connections: WIDTH, pipelining: 1 });
  const taken = async (): Promise<number> => ((await app.ask()) as { microseconds: number }).microseconds;
  return {
    async round(): Promise<number> {
      const before = await taken();
      await atOnce(WIDTH, REQUESTS, async (index) => {
        const { statusCode, body } = await client.request({
          method: "POST",
          path: "/v1/chat/completions",
          headers: { authorization: `Bearer ${keyId(index % KEYS)}` },
        });
        await body.dump();
        if (statusCode !== 200) throw new Error(`The app answered ${statusCode}.`);
      });
      return ((await taken()) - before) / REQUESTS;
    },
    async stop(): Promise<void> {
      await client.destroy();
      await app.stop();
    },
  };
};

const empty = await start("empty");
const peer = await start("express-rate-limit");
const one = await start("quota-1");
const two = await start("quota-2");
const medians = await inTurns(
  { empty: empty.round, peer: peer.round, one: one.round, two: two.round },
  // 12 000 requests each: all four are as fast as they get after about 8 000, when the compiler is done with what every request runs.
  { rounds: 40, warmUps: 40 },
);
await Promise.all([empty, peer, one, two].map((app) => app.stop()));

await saveResult(
  "express",
  [
    row(
      "1 dimension",
      medians.one,
      "1 dimension (requests), key and pool, holds included, atomic; charged once",
    ),
    row(
      "2 dimensions",
      medians.two,
      "2 dimensions (requests, tokens), key and pool, holds included, atomic; tokens read from the answer, charged once",
    ),
  ],
  [`an empty Express 5 app takes ${medians.empty.toFixed(0)} µs of processor time a request`],
);

function row(what: string, median: number, guarantee: string): Measurement {
  return {
    work: `Express middleware, memory store, ${what}: processor time added`,
    unit: "µs",
    ours: {
      name: "quota()",
      value: median - medians.empty,
      guarantee: `${guarantee}; RateLimit fields of draft 11`,
    },
    peer: {
      name: "express-rate-limit, draft-8",
      value: medians.peer - medians.empty,
      guarantee: "checks and counts one counter, holds nothing; RateLimit fields of draft 8",
    },
    target: { of: "ratio", atMost: 0.7 },
  };
}
