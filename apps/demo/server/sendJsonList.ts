import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Response } from "express";

/** How many items one turn of the event loop writes. */
const AT_ONCE = 500;

/** Sends an object whose last member is a long list, some items a turn, so that nobody else's request waits for all of it. */
export async function sendJsonList<Item>(
  response: Response,
  answer: {
    readonly head: Readonly<Record<string, unknown>>;
    readonly list: string;
    readonly items: readonly Item[];
    readonly item: (item: Item) => unknown;
  },
): Promise<void> {
  const { head, list, items, item } = answer;
  const members = Object.entries(head).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`,
  );
  response.type("json");
  let text = `{${members.join("")}${JSON.stringify(list)}:[`;
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE).map((each) => JSON.stringify(item(each)));
    text += (from === 0 ? "" : ",") + some.join(",");
    if (response.destroyed) return;
    if (!response.write(text)) await drained(response);
    text = "";
    await nextTurn();
  }
  response.end(`${text}]}`);
}

/** Until it takes more, or is gone. */
async function drained(response: Response): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  // What the race has not waited for must not listen on: a long list would leave a listener for every chunk.
  const waits = ["drain", "close"].map((event) => once(response, event, { signal }));
  try {
    await Promise.race(waits);
  } finally {
    over.abort();
    await Promise.allSettled(waits);
  }
}
