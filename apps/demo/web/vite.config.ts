import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { brotliCompress, gzip } from "node:zlib";
import { promisify } from "node:util";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The pages, for the gateway to serve below `/dashboard`. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/dashboard/",
  plugins: [react(), precompress()],
  // What pages import of this workspace is read from its sources, as everywhere.
  resolve: { conditions: ["@quota/source", "module", "browser"] },
  build: { outDir: "../dist/web", emptyOutDir: true, target: "es2023", assetsInlineLimit: 0 },
});

/** Writes each text file once more as `.gz` and as `.br`, so that the gateway compresses nothing while it serves. */
function precompress(): Plugin {
  let directory = "";
  let isWritten = false;
  return {
    name: "precompress",
    apply: "build",
    configResolved: ({ root, build }) => void (directory = resolve(root, build.outDir)),
    writeBundle: () => void (isWritten = true),
    async closeBundle() {
      // This is called after a failure, too; what failed must not be hidden behind a directory that is not there.
      if (!isWritten) return;
      for (const name of await readdir(directory, { recursive: true })) {
        if (!/\.(html|js|css|svg)$/.test(name)) continue;
        const file = join(directory, name);
        const bytes = await readFile(file);
        await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
        await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes));
      }
    },
  };
}
