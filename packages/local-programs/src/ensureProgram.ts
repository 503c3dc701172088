import { spawnSync } from "node:child_process";

/** A program that tests need, and that Debian has. */
export interface LocalProgram<Found> {
  /** The package it comes in. People know the program by that name, too. */
  readonly debianPackage: string;
  /** What there is of it now: a version, a path. Undefined: nothing. */
  readonly look: () => Found | undefined;
}

/**
 * Looks for a program, and installs it where it is missing and that needs no password. Where it stays missing the answer is undefined, and standard
 * error says that suites are skipped.
 *
 * @throws Error in CI (`CI=true`), where nobody would read of a skipped suite: the program is missing, and this is how to install it.
 */
export function ensureProgram<Found>({ debianPackage, look }: LocalProgram<Found>): Found | undefined {
  const found = look() ?? (install(debianPackage), look());
  if (found !== undefined) return found;
  const said = `There is no ${debianPackage} on this machine. Install it: apt-get install ${debianPackage}.`;
  if (process.env["CI"] === "true") throw new Error(said);
  process.stderr.write(`\n!! ${said}\n!! The suites that need it are SKIPPED.\n\n`);
  return undefined;
}

function install(debianPackage: string): void {
  const root = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const run = (...words: readonly string[]): boolean => {
    const [program = "", ...args] = [...root, ...words];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    return spawnSync(program, args, { env, stdio: "ignore", timeout: 180_000 }).status === 0;
  };
  // Just the program: what the package starts by itself is nothing to us.
  const apt = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", debianPackage];
  if (!run(...apt) && run("apt-get", "update", "-qq")) run(...apt);
}
