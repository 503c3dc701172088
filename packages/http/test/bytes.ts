import fc from "fast-check";

/** The UTF-8 bytes of a text. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function text(chunks: readonly Uint8Array[]): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(chunks));
}

/** Cuts bytes at the given places (taken modulo the length), in any order; equal places make empty chunks. */
export function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...places.map((place) => place % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  let from = 0;
  return at.map((to) => whole.slice(from, (from = to)));
}

/** Every byte a chunk of its own. */
export function crumbs(whole: Uint8Array): Uint8Array[] {
  return [...whole].map((byte) => Uint8Array.of(byte));
}

/** Places to cut at. */
export const places = fc.array(fc.nat(100_000), { maxLength: 12 });

/** Server-sent events, one `data:` line each. */
export function events(...data: readonly unknown[]): string {
  return data.map((item) => `data: ${typeof item === "string" ? item : JSON.stringify(item)}\n\n`).join("");
}
