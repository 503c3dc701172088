import { durationIn } from "./durationIn.js";

/** What stands before a wait in the messages of refusals (Gemini, Code Assist, OpenAI). */
const LEADS = ["retry in ", "reset after ", "try again in "];
const LONGEST_TEXT = 4000;

/** The wait that the sentences of a refusal name (`Please retry in 58.9s.`), in milliseconds; undefined where none does. */
export function waitInText(message: string): number | undefined {
  const text = message.slice(0, LONGEST_TEXT);
  for (const lead of LEADS) {
    const found = text.indexOf(lead);
    if (found < 0) continue;
    const from = found + lead.length;
    const word = text.slice(from, from + 40).split(/[\s,;)]/, 1)[0] ?? "";
    const ms = durationIn(word.endsWith(".") ? word.slice(0, -1) : word);
    if (ms !== undefined) return ms;
  }
  return undefined;
}
