import { momentText, utcText } from "./formats.js";

/** A moment in the reader's zone; in UTC when one points at it. */
export function Moment({ at, now = Date.now() }: { readonly at: number; readonly now?: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={utcText(at)}>
      {momentText(at, now)}
    </time>
  );
}
