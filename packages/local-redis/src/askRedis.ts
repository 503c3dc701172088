import { connect } from "node:net";
import { commandFrame, replyFrames } from "./frames.js";

/** Sends one command over a connection of its own; the reply as text, an error reply as a rejection. */
export async function askRedis(port: number, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const split = replyFrames();
    const end = (settle: () => void): void => {
      socket.destroy();
      settle();
    };
    socket.setTimeout(5_000, () => end(() => reject(new Error(`No reply to ${words.join(" ")} in 5 s.`))));
    socket.once("error", (error) => end(() => reject(error)));
    socket.once("close", () => reject(new Error("The connection was closed.")));
    socket.on("data", (chunk) => {
      const [frame] = split(chunk);
      if (frame === undefined) return;
      const text = frame.toString();
      end(() => {
        if (text.startsWith("-")) reject(new Error(text.slice(1).trim()));
        else resolve(text.replace(/^\$\d+\r\n|^[+:]/, "").trimEnd());
      });
    });
    socket.write(commandFrame(words));
  });
}
