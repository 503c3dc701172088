import { expect, test } from "vitest";
import { createClient, type Outcome } from "../server/traffic/createClient.js";

/** A client at so slow a pace that it asks once, and the answer to what it asks. */
function asking() {
  let there = true;
  const answers: ((outcome: Outcome) => void)[] = [];
  const client = createClient({
    toAsk: () => (there ? {} : undefined),
    ask: () => new Promise<Outcome>((resolve) => answers.push(resolve)),
  });
  client.start(0.1);
  return {
    client,
    async answer(outcome: Outcome) {
      answers.shift()!(outcome);
      await client.idle();
    },
    leave: () => (there = false),
    enter: () => (there = true),
  };
}

const OUTCOMES: readonly Outcome[] = [
  { kind: "passed" },
  { kind: "refused", reason: "quota_fair_share" },
  { kind: "failed" },
];

test.each(OUTCOMES)("counts an answer: $kind", async (outcome) => {
  const { client, answer } = asking();
  await answer(outcome);
  expect(client.counts()).toMatchObject({ sent: 1, [outcome.kind]: 1 });
  expect(client.isRunning()).toBe(true);
  client.stop();
});

test.each(OUTCOMES)(
  "stops at an answer that comes when there is nobody to ask any more, and gives it up: $kind",
  async (outcome) => {
    const { client, answer, leave, enter } = asking();
    leave();
    await answer(outcome);
    enter();
    expect(client.isRunning()).toBe(false);
    expect(client.counts()).toEqual({ sent: 1, passed: 0, refused: 0, failed: 0, skipped: 0 });
  },
);
