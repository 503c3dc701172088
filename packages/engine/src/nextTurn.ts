/** Lets everybody else go on first: what takes long must not hold up requests. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
