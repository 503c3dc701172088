/**
 * Microseconds of processor time per call, the garbage collector's threads included. Unlike wall time it does not count
 * what the rest of the machine takes away meanwhile.
 */
export async function processorTime(calls: number, work: (calls: number) => unknown): Promise<number> {
  const before = process.cpuUsage();
  const pending = work(calls);
  // A synchronous loop must not pay for a turn of the microtask queue.
  if (pending instanceof Promise) await pending;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Calls per second of wall time, waiting for the disk included. */
export async function throughput(calls: number, work: (calls: number) => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work(calls);
  return (calls / (performance.now() - before)) * 1000;
}

/** Microseconds of wall time per call: what other processes do for it counts too, and whatever else the machine does. */
export async function wallTime(calls: number, work: (calls: number) => Promise<unknown>): Promise<number> {
  return 1_000_000 / (await throughput(calls, work));
}

/** Calls something so many times in all, so many at once. */
export async function atOnce(
  width: number,
  calls: number,
  call: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < calls) await call(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
