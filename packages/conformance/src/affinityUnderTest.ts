import type { Affinity } from "@quota/engine";

/** An affinity in which nothing is kept yet. Made anew for every check. */
export interface AffinityUnderTest {
  readonly affinity: Affinity;
  /** Opens a second handle on the same data, as another process would. Leave it out where there is none. */
  readonly another?: () => Promise<Affinity>;
  /** `the backend`: texts end by a clock of its own, whatever `now` is handed in (default `now`). */
  readonly timeIs?: "now" | "the backend";
  /** Takes away what was opened, second handles too. */
  readonly dispose: () => Promise<void>;
}
