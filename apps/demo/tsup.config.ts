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
  loader: { ".sql": "text" },
  esbuildOptions(options) {
    options.conditions = ["@quota/source"];
  },
});
