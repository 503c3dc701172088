import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("core depends on nothing: what it knows is arithmetic", async () => {
  const manifest: unknown = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));

  expect(manifest).toMatchObject({ name: "@quota/core" });
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
    expect(manifest).not.toHaveProperty(kind);
  }
});
