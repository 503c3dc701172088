import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
  tsconfig: "tsconfig.src.json",
  loader: { ".sql": "text" },
});
