import { WINDOWS } from "@quota/core";
import { DEFAULT_RULES } from "../ruleNamed.js";
import { SCRIPTS } from "../scripts/scripts.js";
import { TRACE_SHAPES } from "../traces/generateTrace.js";

/** What the command can do. */
export const HELP = `simulate [FILE] [options]

Plays traffic in virtual time through the quota engine, under several rules of lending, prints
a table and writes a report.

Traffic, one of
  FILE                 a table with the columns client,slot,requests_per_second,gap_cv (.gz too)
  --record LOG         a gateway's log: JSON lines with time, ms, apiKeyId and msg "answered"
    --client MEMBER      who sent a request, if not apiKeyId
    --message TEXT       what the lines of requests say, if not "answered"
  --shape SHAPE        made up (the default): ${TRACE_SHAPES.join(", ")}
    --clients 20 --days 14
  --script NAME        one window of ${SCRIPTS.map(({ name }) => name).join(", ")}
  --scripts            all of these

Quota
  --window 5h          ${WINDOWS.join(", ")}; fixed, from the traffic's beginning
  --limit 3000         requests per window
  --load 1             all demand as a part of all quota: the traffic is scaled to that
  --weights equal      or 4,2,1: the clients' in their order, over and over

Run
  --rules ${DEFAULT_RULES.join(",")}
  --seed 1             the same seed makes the same requests
  --processes N        how many rules are played at once, each in a process; 0: in this one
  --report simulation.html
  --json FILE          the figures, for programs
  --save FILE          writes the traffic as a table (.gz too) and plays nothing
`;
