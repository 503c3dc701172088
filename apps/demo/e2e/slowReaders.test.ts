import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const READERS = 60;
/** 4 bytes each: 40 MB for every reader, 2.4 GB in all, if nobody held the provider back. (Some megabytes fit in the sockets' own buffers.) */
const TOKENS = 10_000_000;

test("60 readers who stop reading hold the provider back: the gateway keeps some kilobytes for each, and no more", async () => {
  const gateway = await startTestGateway();
  const responses = gatewayResponses(gateway);
  gateway.provider.configure({ answerTokens: TOKENS, chunks: 1_000 });
  const before = bufferBytes();
  const readers = Array.from({ length: READERS }, () => slowReader(gateway));

  const blocked = await gateway.provider.until(({ blockedStreams }) => blockedStreams === READERS);
  expect(blocked.tokens.output).toBeLessThan((READERS * TOKENS) / 2);
  expect(responses).toHaveLength(READERS);
  // What Node holds for a reader is a stream's high-water mark and the piece that went past it.
  const waiting = responses.map(
    (response) => response.writableLength + (response.socket?.writableLength ?? 0),
  );
  expect(Math.max(...waiting)).toBeLessThan(512 * 1024);
  // Pieces that nobody has collected yet count here, the provider's too: the bound is far from what a buffered answer would take.
  expect(bufferBytes() - before).toBeLessThan(READERS * 4 * 1024 * 1024);

  for (const reader of readers) reader.destroy();
  await gateway.provider.until(({ openRequests }) => openRequests === 0);
  await gateway.quiet();
  expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: READERS, held: 0 });
}, 120_000);

/** Asks for a stream, and never reads a byte of it. */
function slowReader({ url }: TestGateway): Socket {
  const body = JSON.stringify({
    model: "m",
    max_tokens: TOKENS,
    stream: true,
    messages: [{ role: "user", content: "Say hi" }],
  });
  const { host, port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.pause();
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer sk-demo-alice\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** The answers of the gateway, not those of its simulator, as they begin. */
function gatewayResponses({ url }: TestGateway): readonly ServerResponse[] {
  const { port } = new URL(url);
  const responses: ServerResponse[] = [];
  const note = (message: unknown): void => {
    const { response, socket } = message as { response: ServerResponse; socket: Socket };
    if (String(socket.localPort) === port && response.req.method === "POST") responses.push(response);
  };
  subscribe("http.server.request.start", note);
  onTestFinished(() => void unsubscribe("http.server.request.start", note));
  return responses;
}

function bufferBytes(): number {
  return process.memoryUsage().arrayBuffers;
}
