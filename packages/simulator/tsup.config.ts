import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/cli/main.ts", "src/ruleProcess.ts"],
  format: "esm",
  target: "node20",
  dts: { entry: "src/index.ts" },
  sourcemap: true,
  clean: true,
  tsconfig: "tsconfig.src.json",
});
