/** Whether a text can stand as the value of a header: one line, of characters that a header has. */
export function fitsHeader(value: string): boolean {
  return Array.from(value).every((character) => {
    const code = character.codePointAt(0)!;
    return code >= 0x20 && code <= 0xff && code !== 0x7f;
  });
}
