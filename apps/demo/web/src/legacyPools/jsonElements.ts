/**
 * The elements of a JSON array, each exactly as it is written. `text` must be one that `JSON.parse` takes and makes an array of.
 *
 * @example
 * jsonElements('[1.0, "a,b"]'); // ['1.0', '"a,b"']
 */
export function jsonElements(text: string): readonly string[] {
  const elements: string[] = [];
  let depth = 0;
  let from = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i]!;
    if (inString) {
      if (char === "\\") i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "[" || char === "{") {
      depth += 1;
      if (depth === 1) from = i + 1;
    } else if (char === "," && depth === 1) {
      elements.push(text.slice(from, i).trim());
      from = i + 1;
    } else if (char === "]" || char === "}") {
      depth -= 1;
      if (depth === 0) elements.push(text.slice(from, i).trim());
    }
  }
  return elements.length === 1 && elements[0] === "" ? [] : elements;
}
