/** The index of the first byte that is neither white space nor part of a byte order mark; `bytes.length` if there is none. */
export function startOfText(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && isPassedOver(bytes[at]!)) at++;
  return at;
}

function isPassedOver(byte: number): boolean {
  return (
    byte === 32 || byte === 10 || byte === 13 || byte === 9 || byte === 0xef || byte === 0xbb || byte === 0xbf
  );
}
