import { defineConfig } from "tsup";

// One file that plain `node` runs. The workspace's packages are bundled from their sources, so the demo starts
// without building them first; everything from the registry stays outside.
export default defineConfig({
  entry: ["server/main.ts"],
  format: "esm",
  target: "node20",
  sourcemap: true,
  clean: true,
  noExternal: [/^@quota\//],
  // Optional, so it is not outside by itself: it is looked for when Redis is asked for, and not before.
  external: ["ioredis"],
  loader: { ".sql": "text", ".lua": "text" },
  esbuildOptions(options) {
    options.conditions = ["@quota/source"];
  },
});
