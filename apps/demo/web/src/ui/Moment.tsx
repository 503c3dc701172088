import { momentText, utcText } from "./formats.js";

/** A moment in the reader's zone; in UTC when one points at it. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={utcText(at)}>
      {momentText(at)}
    </time>
  );
}
