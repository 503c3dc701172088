/** A command as Redis reads it. */
export function commandFrame(words: readonly string[]): string {
  const strings = words.map((word) => `$${String(Buffer.byteLength(word))}\r\n${word}\r\n`);
  return `*${String(words.length)}\r\n${strings.join("")}`;
}

/** The words of a command. */
export function wordsOf(frame: Buffer): readonly string[] {
  const words: string[] = [];
  let at = lineEnd(frame, 0);
  while (at < frame.length) {
    const begin = lineEnd(frame, at);
    const end = begin + sizeAt(frame, at);
    words.push(frame.toString("utf8", begin, end));
    at = end + 2;
  }
  return words;
}

/** Cuts a stream of replies, or of commands, into whole ones. Hand it the chunks one after the other. */
export function replyFrames(): (chunk: Buffer) => readonly Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Buffer[] = [];
    for (;;) {
      const end = endOf(rest, 0);
      if (end === undefined) return frames;
      frames.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

/** Where the reply that begins here ends; undefined while some of it is still to come. RESP2 and RESP3. */
function endOf(buffer: Buffer, begin: number): number | undefined {
  const line = lineEnd(buffer, begin);
  if (begin >= buffer.length || line === 0) return undefined;
  const kind = String.fromCharCode(buffer[begin]!);
  const size = sizeAt(buffer, begin);
  switch (kind) {
    case "$":
    case "=":
    case "!": {
      const end = size < 0 ? line : line + size + 2;
      return end <= buffer.length ? end : undefined;
    }
    case "*":
    case "~":
    case ">":
    case "%":
    case "|": {
      let end: number | undefined = line;
      const parts = kind === "%" || kind === "|" ? 2 * size : size;
      for (let i = 0; i < parts && end !== undefined; i += 1) end = endOf(buffer, end);
      return end;
    }
    default:
      return line;
  }
}

/** Where the line that begins here is over; 0: not yet. */
function lineEnd(buffer: Buffer, begin: number): number {
  const end = buffer.indexOf("\r\n", begin);
  return end === -1 ? 0 : end + 2;
}

function sizeAt(buffer: Buffer, begin: number): number {
  return Number(buffer.toString("latin1", begin + 1, lineEnd(buffer, begin) - 2));
}
