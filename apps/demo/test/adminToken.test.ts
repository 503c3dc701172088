import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptAdminToken } from "../server/adminAuth.js";
import { addSecretFile } from "../server/secretFiles.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

test("an admin token is made once, for its owner's eyes, and found again", () => {
  const directory = temporaryDirectory();
  const { token, path } = keptAdminToken(directory);
  expect(token).toMatch(/^[\w-]{43}$/u);
  expect(keptAdminToken(directory)).toEqual({ token, path });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("an empty token file is no token: nobody could ever get in", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "admin-token"), "\n");
  expect(() => keptAdminToken(directory)).toThrow(/admin-token is empty; remove it/u);
});

test("a process that comes second to the same empty directory does not replace the first one's token", () => {
  const directory = temporaryDirectory();
  const { token, path } = keptAdminToken(directory);
  // As if the second had looked before the first had written.
  addSecretFile(path, "another token\n");
  expect(keptAdminToken(directory).token).toBe(token);
  expect(readdirSync(directory)).toEqual(["admin-token"]);
});
