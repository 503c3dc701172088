import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Small files that only their owner may read (mode 0600), in a directory of their own (0700), outside the database. */
export interface SecretFiles {
  /** Undefined when there is no such file. */
  read(name: string): string | undefined;
  /** Replaces the whole file, or nothing: whoever reads meanwhile sees the old one or the new one. */
  write(name: string, text: string): void;
  delete(name: string): void;
}

/** One file per name, so that two processes that change two connections do not meet. Any text is a name: files are named by its hash. */
export function createSecretFiles(directory: string): SecretFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const fileOf = (name: string): string =>
    join(directory, `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.json`);

  // A replaced file is another inode, so a look at it tells whether what was read still stands.
  const kept = new Map<string, { readonly stamp: string; readonly text: string }>();

  return {
    read(name) {
      const file = fileOf(name);
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return undefined;
      const stamp = `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
      const before = kept.get(name);
      if (before?.stamp === stamp) return before.text;
      const text = readFileSync(file, "utf8");
      kept.set(name, { stamp, text });
      return text;
    },
    write: (name, text) => writeSecretFile(fileOf(name), text),
    delete(name) {
      kept.delete(name);
      rmSync(fileOf(name), { force: true });
    },
  };
}

/** Makes a file that only its owner may read, unless it is there: of two processes that begin at once, both find the same one. */
export function addSecretFile(path: string, text: string): void {
  withDraft(path, text, (draft) => {
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
}

/** Writes a file that only its owner may read, whole or not at all. */
function writeSecretFile(path: string, text: string): void {
  withDraft(path, text, (draft) => renameSync(draft, path));
}

function withDraft(path: string, text: string, use: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: "wx", flush: true });
    use(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}
