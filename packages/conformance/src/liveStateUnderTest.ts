import type { LiveState } from "@quota/engine";

/** A live state in which nothing is known yet. Made anew for every check. */
export interface LiveStateUnderTest {
  readonly live: LiveState;
  /** Opens a second handle on the same data, as another process would. Leave it out where there is none. */
  readonly another?: () => Promise<LiveState>;
  /** Takes away what was opened, second handles too. */
  readonly dispose: () => Promise<void>;
}
