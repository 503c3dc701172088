import { once } from "node:events";
import { createServer, request as send, type IncomingMessage, type RequestListener } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A real server on a port of its own, for as long as the test runs. */
export async function listening(app: RequestListener) {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${String(port)}`;
  return {
    server,
    url,
    /** Asks as the key; alice posting an empty JSON object unless said otherwise. */
    ask: (path = "/", init: RequestInit & { readonly key?: string } = {}) => {
      const { key = "alice", ...rest } = init;
      const headers = { "x-api-key": key, "content-type": "application/json", ...(init.headers as object) };
      return fetch(`${url}${path}`, { method: "POST", ...rest, headers });
    },
    /** A bare socket, to be cut whenever a test likes. */
    async socket(): Promise<Socket> {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.on("error", () => undefined);
      return socket;
    },
    /** A request whose answer is handed over when its head is there. */
    async begin(
      path = "/",
      key = "alice",
    ): Promise<{ readonly answer: IncomingMessage; readonly leave: () => void }> {
      const asked = send(`${url}${path}`, { method: "POST", headers: { "x-api-key": key }, agent: false });
      asked.on("error", () => undefined).end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      answer.on("error", () => undefined);
      return { answer, leave: () => asked.destroy() };
    },
  };
}

/** A moment somebody waits for. */
export function moment<Value = void>() {
  let come!: (value: Value) => void;
  const comes = new Promise<Value>((resolve) => (come = resolve));
  return { comes, come };
}
