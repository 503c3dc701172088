/** One run of a replay, in a process of its own: `main.ts` starts it, and gets its result as a message. */
import { runReplay, type RunName } from "./runs.js";
import { trafficAt } from "./trafficAt.js";

const [run, path] = process.argv.slice(2) as [RunName, string | undefined];
process.send!(await runReplay(run, await trafficAt(path)));
