/** One rule, in a process of its own: `compareRules` starts it, sends it a run, and gets what became of it as a message. */
import { simulateRule } from "./simulateRule.js";

process.once("message", (run: Parameters<typeof simulateRule>[0]) => {
  void simulateRule(run).then((played) => process.send!(played, () => process.disconnect()));
});
