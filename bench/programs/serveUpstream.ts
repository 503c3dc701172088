// A provider that answers at once, the same to everybody: JSON, or a stream if that is asked for.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const usage = { prompt_tokens: 9, completion_tokens: 8, total_tokens: 17 };
const head = { id: "chatcmpl-1", created: 1_767_000_000, model: "any-model" };
const answer = Buffer.from(
  JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Good morning. What is to be done?" },
        finish_reason: "stop",
      },
    ],
    usage,
  }),
);
const events = [
  ...["Good ", "morning. ", "What ", "is ", "to ", "be ", "done?"].map((content) => ({
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })),
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage },
].map((chunk) => `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk })}\n\n`);

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    if (!body.includes('"stream":true')) {
      response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
      response.end(answer);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(event);
    response.end("data: [DONE]\n\n");
  });
});
server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as AddressInfo).port }));
