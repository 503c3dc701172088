import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A built file, with what a build has packed of it. */
export interface Page {
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
  /** Of the content; a packed variant adds its own name to it. */
  readonly tag: string;
}

/**
 * The built pages by their paths, such as `/assets/index-1a2b.js`; undefined where they were not built. They are a few hundred kilobytes, read at once
 * and kept: a request names a path of this map or none, so it cannot leave the directory, and a build that replaces the files meanwhile takes
 * nothing away from a gateway that serves them.
 */
export function readPages(directory: string | undefined): ReadonlyMap<string, Page> | undefined {
  if (directory === undefined || !existsSync(join(directory, "index.html"))) return undefined;
  const contents = new Map<string, Buffer>();
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const file = join(directory, name);
    if (statSync(file).isFile()) contents.set(`/${name.replaceAll("\\", "/")}`, readFileSync(file));
  }
  const pages = new Map<string, Page>();
  for (const [path, plain] of contents) {
    if (/\.(?:br|gz)$/u.test(path)) continue;
    const tag = createHash("sha256").update(plain).digest("base64url");
    pages.set(path, { plain, br: contents.get(`${path}.br`), gzip: contents.get(`${path}.gz`), tag });
  }
  return pages;
}
