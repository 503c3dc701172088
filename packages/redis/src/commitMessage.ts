import type { Batch } from "./batch.js";
import type { BucketHash, Cell } from "./ledgerCells.js";

/** What a batch sends, and how its reply is read. */
export interface CommitMessage {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** The cells that the reply shows, in its order. */
  readonly shown: readonly Cell[];
  readonly writes: boolean;
  /** The hashes whose end the script sees to, where it comes so far. */
  readonly looked: readonly BucketHash[];
}

/** How long a hash's end need not be looked at again: it costs a command, so once in a while will do. */
const LOOK_EVERY_MS = 1_000;

/** To be called once the reply says that the script came so far; whoever was not heard of is looked at again. */
export function noteLooked({ looked }: CommitMessage): void {
  const lookAgainAt = performance.now() + LOOK_EVERY_MS;
  for (const hash of looked) hash.lookAgainAt = lookAgainAt;
}

/** `commitWithinBounds.lua`: what must be checked, changed or shown, and nothing else. */
export function withinBounds(batch: Batch, token: string, headKey: string): CommitMessage {
  const hashes = new Map<BucketHash, Cell[]>();
  for (const cell of batch.cells)
    if (cell.delta !== 0 || cell.exact || cell.wanted || cell.bound < UNBOUND) group(hashes, cell);

  const now = performance.now();
  const looked: BucketHash[] = [];
  const keys = [headKey];
  const args: (string | number)[] = [token, 0];
  const shown: Cell[] = [];
  let headLife = 0;
  let writes = false;
  for (const [hash, cells] of hashes) {
    keys.push(hash.key);
    const life = lifeOf(hash, batch);
    args.push(life, look(hash, { now, looked }), cells.length);
    for (const cell of cells) {
      args.push(cell.field);
      shown.push(cell);
    }
    for (const { exact, amount, bound } of cells)
      args.push(exact ? `=${String(amount)}` : bound < UNBOUND ? Math.floor(bound) : "");
    for (const { delta } of cells) {
      args.push(delta === 0 ? "" : delta);
      if (delta === 0) continue;
      writes = true;
      headLife = Math.max(headLife, life);
    }
  }
  args[1] = headLife;
  return { keys, args, shown, writes, looked };
}

/** `commitUnchanged.lua`: the amounts as they will be. */
export function ifUnchanged(
  batch: Batch,
  {
    token,
    expected,
    headKey,
  }: { readonly token: string; readonly expected: string; readonly headKey: string },
): CommitMessage {
  const hashes = new Map<BucketHash, Cell[]>();
  for (const cell of batch.cells) if (cell.delta !== 0) group(hashes, cell);
  const writes = hashes.size > 0;

  const now = performance.now();
  const looked: BucketHash[] = [];
  // One that is only read may have lost its end as well.
  for (const { hash } of batch.cells) if (now >= hash.lookAgainAt && !hashes.has(hash)) hashes.set(hash, []);
  const keys = [headKey];
  const args: (string | number)[] = [token, expected, 0];
  let headLife = 0;
  for (const [hash, cells] of hashes) {
    keys.push(hash.key);
    const life = lifeOf(hash, batch);
    if (cells.length > 0) headLife = Math.max(headLife, life);
    args.push(life, look(hash, { now, looked }), 2 * cells.length);
    for (const { field, amount, delta } of cells) args.push(field, amount + delta);
  }
  args[2] = headLife;
  return { keys, args, shown: [], writes, looked };
}

/** What a reply says; undefined: it is not the reply to this token. */
export function readReply(reply: unknown, token: string): Reply | undefined {
  if (typeof reply !== "string" || !reply.startsWith(`${token} `)) return undefined;
  const words = reply.slice(token.length + 1).split(" ");
  const stands = words[0] === "1";
  if (!stands && words[0] !== "0") return undefined;
  const amounts = new Array<number>(Math.max(0, words.length - 2));
  for (let i = 0; i < amounts.length; i += 1) amounts[i] = Number(words[i + 2]);
  return { stands, head: words[1] === "-" ? undefined : words[1], amounts };
}

export interface Reply {
  readonly stands: boolean;
  /** The token of whoever changed the ledger last, before this commit. */
  readonly head: string | undefined;
  readonly amounts: readonly number[];
}

/** No counter goes past this, so it is no bound. */
const UNBOUND = Number.MAX_SAFE_INTEGER;

function group(hashes: Map<BucketHash, Cell[]>, cell: Cell): void {
  const cells = hashes.get(cell.hash);
  if (cells === undefined) hashes.set(cell.hash, [cell]);
  else cells.push(cell);
}

/** Whether the script must look at the hash's end. */
function look(
  hash: BucketHash,
  { now, looked }: { readonly now: number; readonly looked: BucketHash[] },
): "look" | "" {
  if (now < hash.lookAgainAt) return "";
  looked.push(hash);
  return "look";
}

/** Relative, so that no clock but the server's own measures it. */
function lifeOf({ expiresAt }: BucketHash, { now }: Batch): number {
  return Math.max(1, Math.ceil(expiresAt - now));
}
