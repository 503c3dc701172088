import type { PoolDirectory } from "@quota/engine";

/** A directory without pools. Made anew for every check. */
export interface PoolDirectoryUnderTest {
  readonly directory: PoolDirectory;
  /** Opens a second handle on the same data, as another process would. Leave it out where there is none. */
  readonly another?: () => Promise<PoolDirectory>;
  /** Takes away what was opened, second handles too. */
  readonly dispose: () => Promise<void>;
}
