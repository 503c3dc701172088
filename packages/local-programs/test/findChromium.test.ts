import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findChromium } from "../src/findChromium.js";

describe("the browser that tests start", () => {
  test.each([
    ["the one that is named, before any other", ["named", "chromium"], "named"],
    [
      "the first there is, in the order of its names",
      ["google-chrome-stable", "chromium-browser"],
      "chromium-browser",
    ],
    ["one on the PATH where the one that is named is not there", ["google-chrome"], "google-chrome"],
    ["none where there is none", ["firefox"], undefined],
  ])("is %s", (_, names, found) => {
    const machine = machineWith(names.map((name) => [name, "echo Chromium 1.0"]));
    expect(machine.find()).toBe(found === undefined ? undefined : join(machine.folder, found));
  });

  test("is not a script of its name that only says where to get it", () => {
    const machine = machineWith([
      ["chromium-browser", "exit 1"],
      ["google-chrome", "echo Chromium 1.0"],
    ]);
    expect(machine.find()).toBe(join(machine.folder, "google-chrome"));
  });
});

/** A machine that has these programs and no other. */
function machineWith(programs: readonly (readonly [name: string, script: string])[]) {
  const folder = mkdtempSync(join(tmpdir(), "quota-programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, script] of programs) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { folder, find: () => findChromium({ PATH: folder, CHROMIUM_PATH: join(folder, "named") }) };
}
