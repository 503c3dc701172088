/** Sessions by the hash of their ids, as a database keeps them. */
export interface SessionRows {
  find(hash: Buffer): Promise<SessionRow | undefined>;
  /** Adds one, and drops those that were last used, or begun, at or before these moments. */
  add(
    hash: Buffer,
    row: SessionRow,
    over: { readonly usedAt: number; readonly begunAt: number },
  ): Promise<void>;
  /** One that is not there stays away, and an earlier moment changes nothing. */
  use(hash: Buffer, usedAt: number): Promise<void>;
  remove(hash: Buffer): Promise<void>;
}

/** Epoch ms. */
export interface SessionRow {
  readonly begunAt: number;
  readonly usedAt: number;
}
