import { useEffect, useRef, useState, type RefObject } from "react";

/** Whether an element is on the screen, or nearly: what is far below is neither asked for nor drawn. */
export function useOnScreen<Seen extends HTMLElement>(): {
  readonly ref: RefObject<Seen | null>;
  readonly isSeen: boolean;
} {
  const ref = useRef<Seen>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting === true), {
      rootMargin: "200px",
    });
    if (ref.current !== null) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return { ref, isSeen };
}
