import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { TraceError } from "./traceError.js";

/**
 * The text of a file, gzipped where its name ends in `.gz`.
 *
 * @throws {TraceError} for a file that cannot be read, or that is not what its name says.
 */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TraceError(
      {
        source: path,
        problem: `cannot be read (${why}).`,
        remedy: "Give the path of a file that this user may read.",
      },
      { cause },
    );
  });
  if (!path.endsWith(".gz")) return bytes.toString("utf8");
  try {
    return gunzipSync(bytes).toString("utf8");
  } catch (cause) {
    throw new TraceError(
      { source: path, problem: "is not gzipped.", remedy: "Take .gz off its name, or compress it." },
      { cause },
    );
  }
}
