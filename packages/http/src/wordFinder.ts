/** The word that stands in `bytes[from, to)`, one of a few that are known; an empty text for any other. Makes no text of its own. */
export type WordFinder = (bytes: Uint8Array, from: number, to: number) => string;

/** Makes a finder of some words in ASCII. */
export function wordFinder(words: readonly string[]): WordFinder {
  const byLength: (readonly string[])[] = [];
  for (const word of words) {
    while (byLength.length <= word.length) byLength.push([]);
    byLength[word.length] = [...byLength[word.length]!, word];
  }
  return (bytes, from, to) => {
    const length = to - from;
    if (length < byLength.length)
      for (const word of byLength[length]!) if (isAt(word, bytes, from)) return word;
    return "";
  };
}

function isAt(word: string, bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== bytes[from + i]) return false;
  return true;
}
