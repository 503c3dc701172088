import { deliverAnswer } from "./deliverAnswer.js";
import type { RecordedExchange } from "./recordedExchange.js";
import { deliveryOf, type Plan } from "./visit.js";

/** Serves a recorded answer word for word. It costs nothing of the quota. */
export async function replayExchange({ answer: recorded }: RecordedExchange, plan: Plan): Promise<void> {
  plan.visit.record.decide(plan.failure === "none" ? "accepted" : "failed");
  // Lengths and hops are the wire's business, not the recording's.
  const kept = Object.entries(recorded.headers).filter(([name]) => !wireHeaders.test(name));
  const parts = recorded.events?.map(({ event, data }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    const head = event === undefined ? "" : `event: ${event}\n`;
    return { bytes: Buffer.from(`${head}data: ${text}\n\n`), textBytes: 0, piece: true };
  });
  await deliverAnswer({
    ...deliveryOf(plan),
    status: recorded.status,
    headers: { ...Object.fromEntries(kept), ...plan.options.extraHeaders },
    content:
      parts === undefined
        ? { kind: "json", body: recorded.body, textBytes: 0 }
        : { kind: "stream", parts, halfway: Math.ceil(parts.length / 2), errorEvent: "" },
  });
}

const wireHeaders = /^(content-length|content-encoding|transfer-encoding|connection|keep-alive|date)$/iu;
