import { Name } from "../ui/Name.js";
import styles from "./TrafficPanel.module.css";

/** What to do and what to look at, in three steps; the one that is next is marked. */
export function TrafficSteps({
  current,
  poolName,
}: {
  readonly current: 1 | 2 | 3;
  readonly poolName: string;
}) {
  const mark = (step: number) => (step === current ? { "aria-current": "step" as const } : {});
  return (
    <ol className={styles.steps}>
      <li {...mark(1)}>
        Start <b>bob</b>. His share is 30 %, and while <Name>{poolName}</Name> has room he borrows past it.
      </li>
      <li {...mark(2)}>
        After about 20 seconds half of the limit is used: the pool turns strict, and bob is held to his share.
        Now start <b>alice</b>: she passes, and “Why?” in her row says why.
      </li>
      <li {...mark(3)}>Let the provider reset its window: the pool is generous again, for everybody.</li>
    </ol>
  );
}
