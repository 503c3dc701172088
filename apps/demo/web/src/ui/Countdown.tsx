import { useEffect, useState } from "react";
import { durationText, utcText } from "./formats.js";

/** How long until then, going on by itself. Screen readers hear it when they ask, not every second. */
export function Countdown({ to }: { readonly to: number }) {
  const [now, setNow] = useState(Date.now);
  const left = to - now;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), left > 3_600_000 ? 30_000 : 1_000);
    return () => clearInterval(timer);
  }, [left > 3_600_000]);
  return (
    <time dateTime={new Date(to).toISOString()} title={utcText(to)} role="timer" aria-live="off">
      {left > 0 ? durationText(left) : "now"}
    </time>
  );
}
