import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ensureProgram } from "../src/ensureProgram.js";

describe("a program that tests need", () => {
  test("is taken as it is where it is found, and nothing is installed", () => {
    const machine = machineWhere("touch ostrich");
    writeFileSync(machine.ostrich, "");
    expect(machine.ensure()).toBe("ostrich 1");
    expect(machine.ran()).toEqual([]);
    expect(machine.told()).toBe("");
  });

  test("is installed without questions where it is missing", () => {
    const machine = machineWhere("touch ostrich");
    expect(machine.ensure()).toBe("ostrich 1");
    expect(machine.ran()).toEqual(["noninteractive install -qq -y --no-install-recommends ostrich"]);
    expect(machine.told()).toBe("");
  });

  test("is installed after a look at what there is to install, where that was never looked at", () => {
    const machine = machineWhere('[ "$1" = update ] && touch seen; [ -e seen ] && touch ostrich');
    expect(machine.ensure()).toBe("ostrich 1");
    expect(machine.ran().map((line) => line.split(" ")[1])).toEqual(["install", "update", "install"]);
  });

  test.each([
    ["cannot be installed", "exit 100"],
    ["cannot be installed by this user", "exit 1"],
    ["is not what was installed", "exit 0"],
  ])("that is missing and %s is missed loudly, with what to do", (_, apt) => {
    const machine = machineWhere(apt);
    expect(machine.ensure()).toBeUndefined();
    expect(machine.told()).toContain(
      "There is no ostrich on this machine. Install it: apt-get install ostrich.",
    );
    expect(machine.told()).toContain("SKIPPED");
  });

  test("is missed as loudly where there is nothing to install it with", () => {
    const machine = machineWhere("exit 0");
    rmSync(join(machine.directory, "apt-get"));
    expect(machine.ensure()).toBeUndefined();
    expect(machine.told()).toContain("SKIPPED");
  });

  test("fails CI where it stays missing", () => {
    const machine = machineWhere("exit 100");
    vi.stubEnv("CI", "true");
    expect(() => machine.ensure()).toThrow("apt-get install ostrich");
    expect(machine.told()).toBe("");
  });
});

beforeEach(() => vi.stubEnv("CI", ""));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A machine whose `apt-get` is these words of shell, and which has no other program; `sudo -n` does as it is told. */
function machineWhere(apt: string) {
  const directory = mkdtempSync(join(tmpdir(), "quota-programs-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const ostrich = join(directory, "ostrich");
  const program = (name: string, script: string) => {
    writeFileSync(join(directory, name), `#!/bin/sh\ncd "${directory}"\n${script}\n`);
    chmodSync(join(directory, name), 0o755);
  };
  program("apt-get", `echo "$DEBIAN_FRONTEND $*" >> ran\ntouch() { : > "$1"; }\n${apt}`);
  program("sudo", 'shift; exec "$@"');
  vi.stubEnv("PATH", directory);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const lines = () => {
    const ran = join(directory, "ran");
    return existsSync(ran) ? readFileSync(ran, "utf8").trim().split("\n") : [];
  };
  return {
    directory,
    ostrich,
    ensure: () =>
      ensureProgram({
        debianPackage: "ostrich",
        look: () => (existsSync(ostrich) ? "ostrich 1" : undefined),
      }),
    ran: lines,
    told: () => stderr.mock.calls.map(([text]) => String(text)).join(""),
  };
}
