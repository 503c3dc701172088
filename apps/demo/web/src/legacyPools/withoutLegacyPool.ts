import { parseLegacyPools } from "./parseLegacyPools.js";

/**
 * What is kept in the browser when one entry has been moved: the others, exactly as they are written; `null` when nothing is left. What is
 * not a list, or does not have the entry (another tab was faster), stays as it is.
 */
export function withoutLegacyPool(raw: string, text: string): string | null {
  const parsed = parseLegacyPools(raw);
  if (!parsed.isReadable) return raw;
  const texts = parsed.items.map((item) => item.text);
  const place = texts.indexOf(text);
  if (place >= 0) texts.splice(place, 1);
  if (texts.length === 0) return null;
  return place < 0 ? raw : `[${texts.join(",")}]`;
}
