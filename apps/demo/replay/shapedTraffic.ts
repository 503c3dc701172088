import { draws, type Draws } from "./draws.js";
import type { Traffic, TrafficSlot } from "./traffic.js";

/** Slots a day. */
const DAY = 144;

/**
 * A traffic of the kind that public traces of language model services show, of our own making: a few clients send most of it, by day more
 * than by night, some only now and then, in bursts whose gaps have heavy tails.
 */
export function shapedTraffic({
  clients,
  days,
  seed,
}: {
  readonly clients: number;
  readonly days: number;
  readonly seed: string;
}): Traffic {
  return Array.from({ length: clients }, (_, i) =>
    clientsTraffic(`client-${i + 1}`, days * DAY, draws(`${seed} ${i}`)),
  ).flat();
}

function clientsTraffic(client: string, slots: number, { uniform, normal, lognormal }: Draws): Traffic {
  const rate = lognormal({ median: 1, sigma: 1 });
  const swing = uniform();
  const noon = uniform() * DAY;
  // A third of them are away for hours or days.
  const isFitful = uniform() < 1 / 3;
  const [away, back] = isFitful ? [1 / 40, 1 / (20 + 200 * uniform())] : [1 / 2000, 1 / 5];
  const shaped: TrafficSlot[] = [];
  let isThere = !isFitful || uniform() < 0.5;
  let mood = normal();
  for (let slot = 0; slot < slots; slot += 1) {
    isThere = isThere ? uniform() >= away : uniform() < back;
    mood = 0.97 * mood + 0.24 * normal();
    const hour = 1 + swing * Math.cos(((slot - noon) / DAY) * 2 * Math.PI);
    const gapCv = 1.1 * Math.exp(0.7 * Math.abs(normal()) * (uniform() < 0.02 ? 4 : 1) - 0.3);
    if (isThere) shaped.push({ client, slot, requestsPerSecond: rate * hour * Math.exp(mood), gapCv });
  }
  return shaped;
}
