import type { RedisClient } from "../src/index.js";
import { spendKeys } from "../src/spendKeys.js";

/** Puts another text in place of an event that waits. A stream never changes, so another is made of it, with the same places. */
export async function spoilSpend(
  redis: RedisClient,
  { name, index, raw }: { readonly name: string; readonly index: number; readonly raw: string },
): Promise<void> {
  const { stream } = spendKeys("quota:", name);
  const items = await redis.xrange(stream, "-", "+");
  for (const [i, [place, fields]] of items.entries()) {
    const spoilt = i === index ? [...fields.slice(0, fields.indexOf("event") + 1), raw] : fields;
    await redis.xadd(`${stream}:spoilt`, place, ...spoilt);
  }
  await redis.rename(`${stream}:spoilt`, stream);
}
