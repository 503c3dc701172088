import type { Readable } from "node:stream";

/**
 * The JSON of a body that is small; undefined where it is longer than `limitBytes` (the rest is not waited for), breaks off, or is no JSON.
 */
export async function jsonWithin(body: Readable, limitBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Leaving the loop destroys the body.
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > limitBytes) return undefined;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
