import { bytesPerToken, countTokens } from "./countTokens.js";
import { seededNumbers } from "./seededNumbers.js";

/** A text a model would have written. Long ones are never held in memory whole, so that hundreds may stream at once. */
export interface Answer {
  readonly tokens: number;
  /** Whether the request's maximum cut it. */
  readonly finish: "complete" | "cut";
  readonly pieceCount: number;
  pieces(): Iterable<string>;
}

export interface AnswerWish {
  readonly prompt: string;
  readonly name: string;
  readonly seed: number;
  readonly answerTokens: number | "natural";
  readonly chunks: number | "by-word";
  /** The request's `max_tokens` and its siblings. */
  readonly maxTokens: number | "unbounded";
}

/** The same wish gives the same answer, everywhere and always. */
export function composeAnswer(wish: AnswerWish): Answer {
  return wish.answerTokens === "natural" ? greeting(wish) : longRead(wish, wish.answerTokens);
}

function greeting(wish: AnswerWish): Answer {
  const whole = greetingText(wish);
  const text = wish.maxTokens === "unbounded" ? whole : cutToBytes(whole, wish.maxTokens * bytesPerToken);
  const pieces = wish.chunks === "by-word" ? (text.match(/\s*\S+/gu) ?? []) : equalParts(text, wish.chunks);
  return {
    tokens: countTokens(text),
    finish: text === whole ? "complete" : "cut",
    pieceCount: pieces.length,
    pieces: () => pieces,
  };
}

function greetingText({ prompt, name, seed }: AnswerWish): string {
  const next = seededNumbers(`${seed}\n${prompt}`);
  const said = prompt
    .replace(/\[simulate [^\]]*\]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  const characters = Array.from(said);
  const quoted = characters.length > 60 ? `${characters.slice(0, 60).join("")}…` : said;
  const heard = said === "" ? "You sent no words, so I chose some." : `You said: “${quoted}”.`;
  const closing = closings[Math.floor(next() * closings.length)] ?? "";
  return `Hello from ${name} ☀ ${heard} ${closing}`;
}

const closings = [
  "I am only pretending to think, but I count every token honestly.",
  "A real model would now say something wise; I say it cheaply and always the same way.",
  "Nothing left your machine to make this sentence.",
  "Ask me twice and you will get the same answer, which is more than most can promise.",
  "Your share of the quota paid for these few words; spend the rest well.",
];

function longRead(wish: AnswerWish, wantedTokens: number): Answer {
  const tokens = wish.maxTokens === "unbounded" ? wantedTokens : Math.min(wantedTokens, wish.maxTokens);
  const bytes = tokens * bytesPerToken;
  const parts = wish.chunks === "by-word" ? Math.ceil(bytes / 4096) : Math.min(wish.chunks, bytes);
  return {
    tokens,
    finish: tokens < wantedTokens ? "cut" : "complete",
    pieceCount: parts,
    *pieces() {
      for (let part = 0; part < parts; part += 1) {
        const start = Math.floor((bytes * part) / parts);
        yield filler(start, Math.floor((bytes * (part + 1)) / parts) - start);
      }
    },
  };
}

/** A stretch of an endless ASCII paragraph, so that a byte is a character. */
function filler(start: number, length: number): string {
  const offset = start % paragraph.length;
  return paragraph.repeat(Math.ceil((offset + length) / paragraph.length)).slice(offset, offset + length);
}

const paragraph =
  "This is a long answer from a simulated provider, made to be read slowly, one small piece after another. ";

function cutToBytes(text: string, most: number): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    kept += character;
  }
  return kept;
}

function equalParts(text: string, wanted: number): string[] {
  const characters = Array.from(text);
  const parts = Math.min(wanted, characters.length);
  return Array.from({ length: parts }, (_, part) =>
    characters
      .slice(
        Math.floor((characters.length * part) / parts),
        Math.floor((characters.length * (part + 1)) / parts),
      )
      .join(""),
  );
}
