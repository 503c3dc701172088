/** Everything an async iterable yields. (`Array.fromAsync` comes with Node 22.) */
export async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
