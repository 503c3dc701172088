import type { Response } from "express";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { quotaOf } from "@quota/express";
import { completion, gateway, piece, TOKENS } from "./gateway.js";
import { heldStore } from "./heldStore.js";
import { moment } from "./listening.js";
import { books, quiet } from "./team.js";

/** The response, once a handler has it; the handler leaves it to the test. */
function inHand() {
  const { comes, come } = moment<Response>();
  return { comes, handler: (_request: unknown, response: Response) => come(response) };
}

const closed = async (response: Response): Promise<void> => {
  if (!response.closed) await once(response, "close");
};
const POST = "POST / HTTP/1.1\r\nhost: x\r\nx-api-key: alice\r\ncontent-length: 0\r\n\r\n";

describe("a lease is settled or released once (F02)", () => {
  test("when the answer is whole, and the connection closes after it", async () => {
    const house = await gateway((_request, response) => void response.json(completion(40)), {
      dimensions: TOKENS,
    });
    const socket = await house.socket();
    socket.write(POST);
    await once(socket, "data");
    socket.destroy();
    expect(await books(house.engine)).toEqual({ consumed: 40, held: 0 });
  });

  test("when the client leaves before there are headers: nothing is charged", async () => {
    const { comes, handler } = inHand();
    const house = await gateway(handler);
    const socket = await house.socket();
    socket.write(POST);
    const response = await comes;
    expect((await house.engine.usage("team"))!.dimensions[0]!.held).toBe(1);
    socket.destroy();
    await closed(response);
    response.json(completion(40));
    expect(await books(house.engine)).toEqual({ consumed: 0, held: 0 });
  });

  test.each(["destroy", "end", "resetAndDestroy"] as const)(
    "when the client leaves in the middle of a stream (%s): charged once, for what was produced (B04)",
    async (how) => {
      const { comes, handler } = inHand();
      const house = await gateway(handler, {
        dimensions: TOKENS,
        options: { estimate: () => ({ tokens: undefined }) },
      });
      const socket = await house.socket();
      socket.write(POST);
      const response = await comes;
      response.type("text/event-stream");
      for (let n = 0; n < 6; n += 1) response.write(piece("abcdefgh"));
      await once(socket, "data");
      socket[how]();
      await closed(response);
      const { consumed, held } = await books(house.engine);
      expect(held).toBe(0);
      expect(consumed).toBeGreaterThanOrEqual(6);
      expect(consumed).toBeLessThanOrEqual(48);
    },
  );

  test.each([
    ["the socket", (response: Response) => response.socket!.destroy()],
    ["the response", (response: Response) => response.destroy()],
    [
      "the response, with an error",
      (response: Response) => response.destroy(new Error("the upstream broke off")),
    ],
    ["the request", (response: Response) => response.req.destroy()],
  ] as const)(
    "when the server destroys %s in the middle of a stream: released, for it was not the client",
    async (_what, destroy) => {
      const { comes, handler } = inHand();
      const house = await gateway(handler, { dimensions: TOKENS });
      const socket = await house.socket();
      socket.write(POST);
      const response = await comes;
      response.on("error", () => undefined);
      response.type("text/event-stream").write(piece("abcdefgh"));
      await once(socket, "data");
      destroy(response);
      await closed(response);
      expect(await books(house.engine)).toEqual({ consumed: 0, held: 0 });
    },
  );

  test("when the client leaves in the same tick as the answer", async () => {
    const { comes, handler } = inHand();
    const house = await gateway(handler);
    const socket = await house.socket();
    socket.write(POST);
    const response = await comes;
    response.json(completion(40));
    socket.destroy();
    await closed(response);
    expect(await books(house.engine)).toEqual({ consumed: 1, held: 0 });
  });

  test("when the response is destroyed in the same tick as the answer", async () => {
    const { comes, handler } = inHand();
    const house = await gateway(handler);
    const socket = await house.socket();
    socket.write(POST);
    const response = await comes;
    response.json(completion(40));
    response.destroy();
    await closed(response);
    const { consumed, held } = await books(house.engine);
    expect([held, consumed <= 1]).toEqual([0, true]);
  });

  test("when a pipelined answer never gets a connection of its own: charged if it was there, and not held for ever", async () => {
    const responses: Response[] = [];
    const second = moment();
    const house = await gateway((_request, response) => {
      responses.push(response);
      if (responses.length === 2) second.come();
    });
    const socket = await house.socket();
    socket.write(POST + POST);
    await second.comes;
    responses[1]!.json(completion(40));
    expect(house.engine.status().openLeases).toBe(2);
    socket.destroy();
    expect(await books(house.engine)).toEqual({ consumed: 1, held: 0 });
  });

  test("of many that leave at once, and none is left listened to", async () => {
    const responses: Response[] = [];
    const all = moment();
    const house = await gateway((_request, response) => {
      responses.push(response);
      if (responses.length === 30) all.come();
    });
    const sockets = await Promise.all(Array.from({ length: 30 }, () => house.socket()));
    for (const socket of sockets) socket.write(POST);
    await all.comes;
    responses.forEach((response, n) => {
      if (n % 3 === 0) response.json({});
      if (n % 3 === 1) response.write("x");
    });
    for (const socket of sockets) socket.destroy();
    await Promise.all(responses.map(closed));
    const { held, consumed } = await books(house.engine);
    expect(held).toBe(0);
    expect(consumed).toBeLessThanOrEqual(20);
    expect(house.engine.status().openLeases).toBe(0);
  });

  test("and one connection that is used again and again gathers no listeners", async () => {
    const house = await gateway((_request, response) => void response.json({}));
    const serverSide: Socket[] = [];
    house.server.on("connection", (socket) => serverSide.push(socket));
    const socket = await house.socket();
    const counts = new Set<number>();
    for (let turn = 0; turn < 5; turn += 1) {
      socket.write(POST);
      await once(socket, "data");
      await quiet(house.engine);
      counts.add(serverSide[0]!.listenerCount("close"));
    }
    expect(counts.size).toBe(1);
  });
});

describe("somebody else answers while the store is still waiting (F03)", () => {
  async function slowHouse(options: Parameters<typeof gateway>[1] = {}) {
    const held = heldStore();
    const arrived = moment<Response>();
    let handled = 0;
    const house = await gateway(
      (_request, response) => {
        handled += 1;
        response.json({});
      },
      {
        ...options,
        store: held.store,
        before: [
          (_request, response, next) => {
            arrived.come(response);
            next();
          },
        ],
      },
    );
    return { ...house, held, arrived, handled: () => handled };
  }

  test("nothing is sent a second time, the handler does not run, and the hold is given back", async () => {
    const house = await slowHouse();
    const asked = house.ask();
    await house.held.waits();
    (await house.arrived.comes).status(503).json({ late: true });
    const answer = await asked;
    expect([answer.status, await answer.json()]).toEqual([503, { late: true }]);
    house.held.goOn();
    expect(await books(house.engine)).toEqual({ consumed: 0, held: 0 });
    expect(house.handled()).toBe(0);
  });

  test("also where the other has only begun to answer", async () => {
    const house = await slowHouse();
    const asked = house.ask();
    await house.held.waits();
    const response = await house.arrived.comes;
    response.status(503).write("la");
    await asked;
    house.held.goOn();
    await quiet(house.engine);
    response.end("te");
    expect(await (await asked).text()).toBe("late");
    expect(await books(house.engine)).toEqual({ consumed: 0, held: 0 });
    expect(house.handled()).toBe(0);
  });

  test.each(["allow", "deny"] as const)("and then the store rejects (policy: %s)", async (whenStoreFails) => {
    const house = await slowHouse({ whenStoreFails });
    const asked = house.ask();
    await house.held.waits();
    (await house.arrived.comes).status(503).json({ late: true });
    expect(await (await asked).json()).toEqual({ late: true });
    house.held.fail(new Error("gone"));
    await quiet(house.engine);
    expect(house.engine.status().openLeases).toBe(0);
    expect(house.handled()).toBe(0);
    expect((await house.ask()).status).toBe(200);
    expect(await books(house.engine)).toEqual({ consumed: 1, held: 0 });
  });

  test("or the client leaves", async () => {
    const house = await slowHouse();
    const socket = await house.socket();
    socket.write(POST);
    await house.held.waits();
    socket.destroy();
    await closed(await house.arrived.comes);
    house.held.goOn();
    expect(await books(house.engine)).toEqual({ consumed: 0, held: 0 });
    expect(house.handled()).toBe(0);
  });
});

describe("every way to fail gives the hold back (B03)", () => {
  test("eight holds of 0.17, two successes at 0.05, six failures: 0.10 consumed, nothing held", async () => {
    const usd = [{ unit: "usd", window: "daily", limit: 100 }] as const;
    const gone = moment<Response>();
    const house = await gateway(
      (request, response, next) => {
        const handle = quotaOf(response)!;
        switch (request.path) {
          case "/ok":
            handle.upstream(200);
            handle.report({ usd: 0.05 });
            return response.json({});
          case "/500":
            handle.upstream(500);
            return response.status(500).json({ error: {} });
          case "/reset":
            handle.failed();
            return response.status(502).json({});
          case "/timeout":
            return next(new Error("the upstream timed out"));
          case "/throw":
            throw new Error("a bug");
          case "/bad-json":
            handle.upstream(200);
            handle.observe(Buffer.from('{"choices": [{"mess'));
            return response.type("application/json").end('{"choices": [{"mess');
          default:
            return gone.come(response);
        }
      },
      { dimensions: usd, options: { estimate: () => ({ usd: 0.17 }) } },
    );
    const paths = ["/ok", "/ok", "/500", "/reset", "/timeout", "/throw", "/bad-json"];
    const statuses = await Promise.all(paths.map(async (path) => (await house.ask(path)).status));
    expect(statuses).toEqual([200, 200, 500, 502, 500, 500, 200]);
    const socket = await house.socket();
    socket.write(POST.replace("POST /", "POST /leaves"));
    const response = await gone.comes;
    socket.destroy();
    await closed(response);
    const { consumed, held } = await books(house.engine);
    expect({ consumed: consumed / 1e9, held }).toEqual({ consumed: 0.1, held: 0 });
  });

  test.each([
    ["an error of the upstream that went through the response", 429, { error: { message: "slow down" } }, 0],
    ["a redirect", 302, {}, 0],
    ["an error that bills", 500, completion(12), 12],
  ])("%s costs what its usage says, or nothing", async (_what, status, body, tokens) => {
    const house = await gateway((_request, response) => void response.status(status).json(body), {
      dimensions: TOKENS,
    });
    await (await house.ask("/", { redirect: "manual" })).text();
    expect(await books(house.engine)).toEqual({ consumed: tokens, held: 0 });
  });

  test("a throw in the middle of a stream is no client that leaves: nothing is charged", async () => {
    const house = await gateway(
      (_request, response) => {
        response.type("text/event-stream").write(piece("abcdefgh"));
        throw new Error("a bug");
      },
      { dimensions: TOKENS },
    );
    await house
      .ask()
      .then((answer) => answer.text())
      .catch((error: unknown) => error);
    expect(await books(house.engine)).toEqual({ consumed: 0, held: 0 });
  });

  test("JSON that the app passes on and that breaks off is a failure; a number or a text is JSON that has nothing to say", async () => {
    const house = await gateway(
      (request, response) =>
        void response.type("application/json").end((request.body as { send: string }).send),
    );
    const cost = async (send: string) => {
      const before = (await books(house.engine)).consumed;
      await (await house.ask("/", { body: JSON.stringify({ send }) })).text();
      return (await books(house.engine)).consumed - before;
    };
    expect(await cost('{"usage":')).toBe(0);
    expect(await cost("<html>")).toBe(0);
    expect(await cost("[1,2]")).toBe(1);
    expect(await cost("12")).toBe(1);
    expect(await cost('"text"')).toBe(1);
    expect(await cost("null")).toBe(1);
    expect(await cost("")).toBe(1);
  });
});

describe("what a stream is charged (B04)", () => {
  test("usage inside choices[0] of the last chunk is its usage", async () => {
    const last = {
      choices: [
        {
          index: 0,
          delta: {},
          finish_reason: "stop",
          usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
        },
      ],
    };
    const house = await gateway(
      (_request, response) => {
        response.type("text/event-stream");
        for (const word of ["a", "b", "c"]) response.write(piece(word));
        response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
      },
      { dimensions: TOKENS },
    );
    await (await house.ask()).text();
    expect(await books(house.engine)).toEqual({ consumed: 30, held: 0 });
  });

  test("a client that leaves before the gateway has sent a byte, but after the upstream has answered, pays for what was produced", async () => {
    const { comes, handler } = inHand();
    const house = await gateway(handler, { dimensions: TOKENS, options: { estimate: () => ({}) } });
    const socket = await house.socket();
    socket.write(POST);
    const response = await comes;
    const handle = quotaOf(response)!;
    handle.upstream(200);
    handle.observe(Buffer.from(piece("abcdefgh".repeat(4))));
    socket.destroy();
    await closed(response);
    const { consumed, held } = await books(house.engine);
    expect(held).toBe(0);
    expect(consumed).toBeGreaterThan(4);
  });

  test("what the upstream says after the end of the response changes nothing any more", async () => {
    const { comes, handler } = inHand();
    const house = await gateway(handler, { dimensions: TOKENS });
    const asked = house.ask();
    const response = await comes;
    const handle = quotaOf(response)!;
    response.json(completion(8));
    await (await asked).text();
    await quiet(house.engine);
    handle.observe(Buffer.from(JSON.stringify(completion(900))));
    handle.report({ tokens: 900 });
    handle.failed();
    expect(handle.lease.state).toBe("settled");
    expect(await books(house.engine)).toEqual({ consumed: 8, held: 0 });
  });

  test("the last byte does not wait for the store", async () => {
    const held = heldStore();
    const house = await gateway((_request, response) => void response.json({ ok: true }), {
      store: held.store,
    });
    const asked = house.ask();
    await held.waits();
    held.goOnOnce();
    expect(await (await asked).json()).toEqual({ ok: true });
    await held.waits();
    expect(house.engine.status().openLeases).toBe(0);
    held.goOn();
    expect(await books(house.engine)).toEqual({ consumed: 1, held: 0 });
  });
});

describe("patience", () => {
  const oneAtATime = {
    allocations: [{ apiKeyId: "alice", weight: 100, capValue: 3, capUnit: "requests" }],
    options: { waitUpTo: 60_000, estimate: () => ({ requests: 3 }) },
  } as const;

  test("lets a request in when the one before it gives its hold back", async () => {
    const responses: Response[] = [];
    let came = moment();
    const house = await gateway((_request, response) => {
      responses.push(response);
      came.come();
    }, oneAtATime);
    const first = house.ask();
    await came.comes;
    came = moment();
    const second = house.ask();
    responses[0]!.status(500).json({});
    expect((await first).status).toBe(500);
    await came.comes;
    quotaOf(responses[1]!)!.report({ requests: 1 });
    responses[1]!.json({ turn: 2 });
    expect(await (await second).json()).toEqual({ turn: 2 });
    expect(await books(house.engine)).toEqual({ consumed: 1, held: 0 });
  });

  test("ends with the client: whoever left while waiting is never let in", async () => {
    const responses: Response[] = [];
    const came = moment();
    const arrivals: Response[] = [];
    let both = moment();
    const house = await gateway(
      (_request, response) => {
        responses.push(response);
        came.come();
      },
      {
        ...oneAtATime,
        before: [
          (_request, response, next) => {
            arrivals.push(response);
            if (arrivals.length === 2) both.come();
            next();
          },
        ],
      },
    );
    const first = house.ask();
    await came.comes;
    const socket = await house.socket();
    socket.write(POST);
    await both.comes;
    both = moment();
    socket.destroy();
    await closed(arrivals[1]!);
    responses[0]!.status(500).json({});
    await first;
    expect(await books(house.engine)).toEqual({ consumed: 0, held: 0 });
    expect(responses).toHaveLength(1);
  });
});
