import { EventEmitter, once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Response } from "express";
import { expect, onTestFinished, test } from "vitest";
import { sendJsonList } from "../server/sendJsonList.js";

/** Far more than a socket takes at once. */
const ITEMS = Array.from({ length: 20_000 }, (_, i) => `${String(i)} ${"x".repeat(1000)}`);

/** A server of that list, and what its answer went through. */
async function listServer() {
  const listeners: number[] = [];
  const ends = new EventEmitter();
  const over = once(ends, "over") as Promise<[Response]>;
  const app = express();
  app.get("/", async (_request, response) => {
    const atFirst = listening(response);
    await sendJsonList(response, {
      head: { revision: 3 },
      list: "items",
      items: ITEMS,
      item(item) {
        listeners.push(listening(response) - atFirst);
        return item;
      },
    });
    ends.emit("over", response);
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`, listeners, over };
}

function listening(response: Response): number {
  return ["close", "error", "drain"].reduce((sum, event) => sum + response.listenerCount(event), 0);
}

test("a list that its reader takes slowly is whole, and leaves nobody listening for each of its parts", async () => {
  const { url, listeners } = await listServer();
  const answer = await fetch(url);
  expect(await answer.json()).toEqual({ revision: 3, items: ITEMS });
  // One is the writing's own, while a part is under way.
  expect(Math.max(...listeners)).toBeLessThanOrEqual(1);
});

test("a list whose reader goes away is not made to its end", async () => {
  const { url, listeners, over } = await listServer();
  const request = get(url, (answer) => answer.once("data", () => request.destroy()));
  request.on("error", () => undefined);
  const [response] = await over;
  expect(response.writableFinished).toBe(false);
  expect(listeners.length).toBeLessThan(ITEMS.length);
});
