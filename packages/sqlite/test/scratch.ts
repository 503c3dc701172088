import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openQuotaDatabase, type QuotaDatabase, type QuotaDatabaseOptions } from "../src/index.js";

/** A directory of a test's own, and the databases opened in it. */
export interface Scratch {
  readonly directory: string;
  readonly file: string;
  open(options?: Partial<QuotaDatabaseOptions>): Promise<QuotaDatabase>;
  remove(): void;
}

export function scratch(): Scratch {
  const directory = mkdtempSync(join(tmpdir(), "quota-sqlite-"));
  // Other users may look inside: some tests run a program as one.
  chmodSync(directory, 0o755);
  const file = join(directory, "storage.sqlite");
  const opened: QuotaDatabase[] = [];
  return {
    directory,
    file,
    async open(options) {
      const db = await openQuotaDatabase({ file, watchEveryMs: 5, ...options });
      opened.push(db);
      return db;
    },
    remove() {
      for (const db of opened) db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
