import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { replyFrames, wordsOf } from "./frames.js";

/**
 * What becomes of one command or one reply: it goes on, it is lost, it goes on twice, or the connection is cut in its place.
 * `answer`: a command goes no further, and this is the reply; or this stands in place of the reply, such as `-READONLY You can't write against a read only replica.`
 */
export type Fate = "pass" | "drop" | "twice" | "cut" | { readonly answer: string };

/** A proxy in front of one server. What it does can be changed at any time. */
export interface FaultProxy {
  readonly port: number;
  readonly url: string;
  /** The port of the server that new connections are led to. */
  target: number;
  /** How much later than it came each reply goes on; replies in a row are late by as much, not by more. */
  delayMs: number;
  /** Decides on each command before the server sees it; what it awaits holds up the connection. */
  onCommand: ((words: readonly string[]) => Fate | Promise<Fate>) | undefined;
  /** Decides on each reply, which is handed over as it stands on the wire, with the command it answers. */
  onReply: ((reply: string, words: readonly string[]) => Fate | Promise<Fate>) | undefined;
  /** How many connections are open. */
  readonly connections: number;
  /** Cuts every connection. */
  cutAll(): void;
  /** Cuts every connection and refuses new ones, until {@link open}. */
  shut(): Promise<void>;
  open(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Stands between a client and a server on loopback and spoils what they say to each other.
 *
 * @example
 * const proxy = await startFaultProxy(server.port);
 * proxy.onReply = () => "drop";
 */
export async function startFaultProxy(target: number): Promise<FaultProxy> {
  const open = new Set<Socket>();
  const listener = createServer({ noDelay: true }, serve);
  const listen = async (port: number): Promise<void> => {
    listener.listen(port, "127.0.0.1");
    await once(listener, "listening");
  };
  const cutAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  const shut = async (): Promise<void> => {
    if (!listener.listening) return;
    const closed = once(listener, "close");
    listener.close();
    cutAll();
    await closed;
  };
  await listen(0);
  const { port } = listener.address() as AddressInfo;

  const proxy: FaultProxy = {
    port,
    url: `redis://127.0.0.1:${String(port)}`,
    target,
    delayMs: 0,
    onCommand: undefined,
    onReply: undefined,
    get connections() {
      return open.size / 2;
    },
    cutAll,
    shut,
    open: () => listen(port),
    stop: shut,
  };
  return proxy;

  function serve(client: Socket): void {
    const server = connect({ port: proxy.target, host: "127.0.0.1", noDelay: true });
    const cut = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        open.delete(socket);
        cut();
      });
    }
    /** Commands whose replies are still to come. */
    const asked: (readonly string[])[] = [];

    const sendOn = inOrder(replyFrames(), async (frame) => {
      const words = proxy.onCommand || proxy.onReply ? wordsOf(frame) : [];
      const fate = (await proxy.onCommand?.(words)) ?? "pass";
      if (fate === "cut") cut();
      else if (typeof fate === "object") client.write(`${fate.answer}\r\n`);
      else if (fate !== "drop")
        for (let i = fate === "twice" ? 2 : 1; i > 0; i -= 1) {
          asked.push(words);
          server.write(frame);
        }
    });
    client.on("data", sendOn);

    const answer = inOrder(replyFrames(), async (frame) => {
      const words = asked.shift() ?? [];
      const fate = (await proxy.onReply?.(frame.toString(), words)) ?? "pass";
      if (fate === "cut") cut();
      else if (typeof fate === "object") client.write(`${fate.answer}\r\n`);
      else if (fate !== "drop") client.write(fate === "twice" ? Buffer.concat([frame, frame]) : frame);
    });
    server.on("data", (chunk) => {
      if (proxy.delayMs === 0) answer(chunk);
      else setTimeout(answer, proxy.delayMs, chunk);
    });
  }
}

/** Hands over one frame after the other; a frame waits until the one before it is done. */
function inOrder(
  split: (chunk: Buffer) => readonly Buffer[],
  handle: (frame: Buffer) => Promise<void>,
): (chunk: Buffer) => void {
  let last: Promise<void> = Promise.resolve();
  return (chunk) => {
    for (const frame of split(chunk)) last = last.then(() => handle(frame));
  };
}
