import { tokensInText } from "./tokensInText.js";

/**
 * Estimates the prompt tokens of a parsed request body of any dialect, in linear time, without a tokenizer: one token per four
 * UTF-8 bytes of every string and key (the keys stand for what a provider adds around each message), one per number or other
 * value. Inline images, audio and files are not text: each counts as `mediaTokens` (default 1500, a rule of thumb for one large image;
 * a PDF grows with its size), a linked image likewise.
 *
 * Never throws, recurses or changes anything, whatever the body is (a list, a number, nested without end).
 */
export function estimateTokens(
  body: unknown,
  { mediaTokens = 1_500 }: { readonly mediaTokens?: number } = {},
): number {
  let textBytes = 0;
  let tokens = 0;
  let visited = 0;
  // An explicit stack, of containers alone, each with its own key: a body may be nested deeper than functions can call each other.
  const containers: object[] = [];
  const keys: string[] = [];

  function visit(value: unknown, key: string, parent: string): void {
    visited++;
    if (typeof value === "object" && value !== null) {
      containers.push(value);
      keys.push(key);
    } else if (typeof value === "string") {
      const media = MEDIA_KEYS.has(key) ? mediaIn(value, key, parent) : "none";
      if (media === "none") textBytes += utf8Length(value);
      else if (media === "pdf")
        tokens += Math.max(mediaTokens, Math.ceil(value.length / PDF_BYTES_PER_TOKEN));
      else tokens += mediaTokens;
    } else tokens++;
  }

  visit(body, "", "");
  while (containers.length > 0 && visited < MOST_VALUES) {
    const container = containers.pop()!;
    const key = keys.pop()!;
    if (Array.isArray(container))
      for (const element of container as readonly unknown[]) visit(element, key, "");
    else
      for (const [name, value] of Object.entries(container)) {
        if (UNREAD_KEYS.has(name)) continue;
        textBytes += utf8Length(name);
        visit(value, name, key);
      }
  }
  return tokens + tokensInText(textBytes);
}

/** More than a body of 20 MB can hold, so that only a body that contains itself (which no JSON does) meets it. */
const MOST_VALUES = 12_000_000;
/** A rule of thumb: a page of some 100 kB in base64 for about 2000 tokens. */
const PDF_BYTES_PER_TOKEN = 50;
/** Where the dialects put inline media and links to it. */
const MEDIA_KEYS: ReadonlySet<string> = new Set(["url", "image_url", "data", "file_data"]);
/** Sent along, never read by the model: Anthropic's signature of a thinking block. */
const UNREAD_KEYS: ReadonlySet<string> = new Set(["signature"]);

function mediaIn(value: string, key: string, parent: string): "none" | "media" | "pdf" {
  const isDataUrl = value.startsWith("data:");
  if (key === "url" || key === "image_url") {
    const isImage = key === "image_url" || parent === "image_url" || parent === "source";
    return isDataUrl || (isImage && /^https?:/i.test(value)) ? "media" : "none";
  }
  const comma = isDataUrl ? value.indexOf(",") : -1;
  const head = value.slice(comma + 1, comma + 65);
  if (head.startsWith(PDF_IN_BASE64)) return "pdf";
  return isDataUrl || (head.length === 64 && BASE64.test(head)) ? "media" : "none";
}

/** `%PDF` */
const PDF_IN_BASE64 = "JVBERi";
const BASE64 = /^[A-Za-z0-9+/_-]+$/;

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Each half of a surrogate pair takes two of its four bytes.
    if (code > 0x7f) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
