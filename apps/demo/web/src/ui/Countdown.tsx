import { useEffect, useState } from "react";
import { durationText, utcText } from "./formats.js";

export interface CountdownProps {
  /** By the gateway's clock. */
  readonly to: number;
  /** How far the gateway's clock is ahead of this machine's, in milliseconds. */
  readonly ahead?: number;
}

/** How long until then, going on by itself. Screen readers hear it when they ask, not every second. */
export function Countdown({ to, ahead = 0 }: CountdownProps) {
  const [now, setNow] = useState(Date.now);
  const left = to - ahead - now;
  const isFar = left > 3_600_000;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), isFar ? 30_000 : 1_000);
    return () => clearInterval(timer);
  }, [isFar]);
  return (
    <time dateTime={new Date(to).toISOString()} title={utcText(to)} role="timer" aria-live="off">
      {left > 0 ? durationText(left) : "now"}
    </time>
  );
}
