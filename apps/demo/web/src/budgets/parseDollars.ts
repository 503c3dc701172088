import { parseDecimal } from "../poolEditing/parseDecimal.js";

/** US dollars as somebody typed them; undefined: it is neither an amount nor `none`. Nothing at all is `none`. */
export function parseDollars(text: string): number | null | undefined {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/^\$\s*|\s*usd$/gu, "");
  if (word === "" || word === "none") return null;
  if (word.endsWith("%")) return undefined;
  const dollars = parseDecimal(word);
  return dollars !== undefined && Number.isFinite(dollars) && dollars >= 0 ? dollars : undefined;
}
