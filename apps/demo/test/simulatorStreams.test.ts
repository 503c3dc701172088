import { get, request as httpRequest, type IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createProviderSimulator } from "../server/simulator/createProviderSimulator.js";
import { eventsOf, questions, startSimulator } from "./startSimulator.js";

const chat = questions["/v1/chat/completions"];

/** A POST whose answer is not read until somebody listens. */
function openStream(url: string, body: unknown): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(
      url,
      { method: "POST", headers: { "content-type": "application/json" }, agent: false },
      resolve,
    )
      .on("error", reject)
      .end(JSON.stringify(body));
  });
}

describe("streams", () => {
  test("a slow reader holds the provider back, and gets everything in the end", async () => {
    const { simulator, baseUrl } = await startSimulator();
    const tokens = 8 * 1024 * 1024;
    const body = { ...chat, stream: true, model: `m?answer-tokens=${String(tokens)}` };
    const response = await openStream(`${baseUrl}/v1/chat/completions`, body);
    const blocked = await simulator.until(({ blockedStreams }) => blockedStreams === 1);
    expect(blocked.tokens.output).toBeLessThan(tokens / 2);
    let received = 0;
    for await (const chunk of response) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(4 * tokens);
    const { tokens: counted, openStreams, requests } = simulator.state();
    expect([counted.output, requests.aborted, openStreams]).toEqual([tokens, 0, 0]);
  }, 60_000);

  test("a client that leaves is counted, and what it had caused until then stays on the books", async () => {
    const { simulator, baseUrl } = await startSimulator({ answerTokens: 8 * 1024 * 1024 });
    const response = await openStream(`${baseUrl}/v1/messages`, {
      ...questions["/v1/messages"],
      max_tokens: 1e8,
      stream: true,
    });
    await simulator.until(({ blockedStreams }) => blockedStreams === 1);
    response.destroy();
    const after = await simulator.until(({ openRequests }) => openRequests === 0);
    expect(after).toMatchObject({ openStreams: 0, blockedStreams: 0, requests: { accepted: 1, aborted: 1 } });
    expect(after.lastRequests[0]?.aborted).toBe(true);
    expect(after.tokens.output).toBeGreaterThan(0);
    const tokens = after.accounts[0]?.windows.find(({ unit }) => unit === "tokens");
    expect(tokens?.used).toBe(after.tokens.input + after.tokens.output);
  });

  test("whatever is said, however it is cut into pieces and bytes, the words are those of the JSON answer", async () => {
    const { post } = await startSimulator();
    const shapes = fc.record({
      said: fc.string({ unit: "grapheme", maxLength: 80 }).map((text) => text.replaceAll("[", "")),
      chunks: fc.oneof(fc.constant("by-word"), fc.integer({ min: 1, max: 300 }).map(String)),
      splitBytes: fc.integer({ min: 2, max: 700 }),
    });
    await fc.assert(
      fc.asyncProperty(shapes, async ({ said, chunks, splitBytes }) => {
        const body = { ...chat, messages: [{ role: "user", content: said }] };
        const whole = (await (await post("/v1/chat/completions", body)).json()) as Completion;
        const headers = { "x-simulate-chunks": chunks, "x-simulate-split-bytes": String(splitBytes) };
        const stream = await (
          await post("/v1/chat/completions", { ...body, stream: true }, { headers })
        ).text();
        const pieces = eventsOf(stream).filter((event) => event !== "[DONE]") as Chunk[];
        expect(pieces.map((piece) => piece.choices[0]?.delta.content ?? "").join("")).toBe(
          whole.choices[0]?.message.content,
        );
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  test("split-bytes lets boundaries fall inside a character", async () => {
    const { baseUrl } = await startSimulator({ splitBytes: 1 });
    const response = await openStream(`${baseUrl}/v1/chat/completions`, {
      ...chat,
      stream: true,
      model: "m?chunks=2",
    });
    let cuts = 0;
    for await (const chunk of response) if (((chunk as Buffer)[0] ?? 0) >> 6 === 0b10) cuts += 1;
    expect(cuts).toBeGreaterThan(0);
  });

  test("usage may stand in the last choice instead", async () => {
    const { post } = await startSimulator({ usage: "in-choice" });
    const events = eventsOf(await (await post("/v1/chat/completions", { ...chat, stream: true })).text());
    expect(events.at(-2)).toMatchObject({
      choices: [{ finish_reason: "stop", usage: { prompt_tokens: 2 } }],
    });
    expect(await (await post("/v1/chat/completions", chat)).json()).toMatchObject({
      choices: [{ usage: { prompt_tokens: 2 } }],
    });
  });

  test("the same seed gives the same words, another seed may give others", async () => {
    const words = async (seed: number) => {
      const { post } = await startSimulator({ seed });
      return ((await (await post("/v1/chat/completions", chat)).json()) as Completion).choices[0]?.message
        .content;
    };
    expect(await words(7)).toBe(await words(7));
    const others = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(words));
    expect(new Set(others).size).toBeGreaterThan(1);
  });
});

describe("pauses", () => {
  test.each(["before-answer", "mid-stream"] as const)(
    "%s holds answers until they are let go",
    async (pause) => {
      const { simulator, post } = await startSimulator({ pause });
      const calls = [1, 2, 3].map(async () =>
        (await post("/v1/chat/completions", { ...chat, stream: true })).text(),
      );
      const held = await simulator.until(({ pausedAnswers }) => pausedAnswers === 3);
      expect([held.requests.accepted, held.tokens.output > 0]).toEqual([3, pause === "mid-stream"]);
      simulator.configure({ pause: "none" });
      for (const text of await Promise.all(calls)) expect(text).toMatch(/\[DONE\]\n\n$/u);
      expect(simulator.state().pausedAnswers).toBe(0);
    },
  );

  test("a held answer whose client leaves is given up", async () => {
    const { simulator, post } = await startSimulator({ pause: "before-answer" });
    const leaving = new AbortController();
    const call = post("/v1/chat/completions", chat, { signal: leaving.signal });
    await simulator.until(({ pausedAnswers }) => pausedAnswers === 1);
    leaving.abort();
    await expect(call).rejects.toThrow("aborted");
    const after = await simulator.until(({ openRequests }) => openRequests === 0);
    expect(after).toMatchObject({ pausedAnswers: 0, requests: { aborted: 1 }, tokens: { output: 0 } });
  });
});

describe("listening", () => {
  test("a taken port is an error of listen", async () => {
    const { baseUrl } = await startSimulator();
    const second = createProviderSimulator();
    await expect(second.listen(Number(new URL(baseUrl).port))).rejects.toThrow("EADDRINUSE");
  });

  test("close ends open answers and rejects who still waits for a state", async () => {
    const simulator = createProviderSimulator({ failure: "never-answers" });
    const { baseUrl } = await simulator.listen();
    const broken = new Promise<Error>((resolve) => get(`${baseUrl}/v1/models`).on("error", resolve));
    await simulator.until(({ requests }) => requests.failed === 1);
    const waiting = simulator.until(() => false);
    const [, error] = await Promise.all([
      simulator.close(),
      broken,
      expect(waiting).rejects.toThrow("closed"),
    ]);
    expect(error.message).toContain("hang up");
    expect(simulator.state().requests.aborted).toBe(0);
  });
});

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}
