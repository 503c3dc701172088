// Packs every package as it would be published, and asks publint and attw about the tarball.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const bin = (/** @type {string} */ name) => join("node_modules", ".bin", name);

const tarballs = await mkdtemp(join(tmpdir(), "quota-packages-"));
try {
  const rooms = await publicRooms();
  const filters = rooms.map((room) => `--filter=./packages/${room}`);
  await run("pnpm", [...filters, "pack", "--pack-destination", tarballs]).catch(told);
  const packed = (await readdir(tarballs)).sort();
  if (packed.length !== rooms.length) {
    throw new Error(`Packed ${packed.length} of ${rooms.length} packages: ${packed.join(", ")}`);
  }
  await Promise.all(packed.map((name) => check(join(tarballs, name))));
} finally {
  await rm(tarballs, { recursive: true });
}

/** A private package is for this workspace alone. */
async function publicRooms() {
  const rooms = await readdir("packages");
  const manifests = await Promise.all(
    rooms.map((room) => readFile(join("packages", room, "package.json"), "utf8")),
  );
  return rooms.filter((_, i) => JSON.parse(manifests[i] ?? "{}").private !== true);
}

async function check(/** @type {string} */ tarball) {
  await run(bin("publint"), ["--strict", tarball]).catch(told);
  await run(bin("attw"), ["--profile", "esm-only", "--format", "ascii", tarball]).catch(told);
  await onlyWhatShips(tarball);
  console.log(`✓ ${basename(tarball)}`);
}

/** A package is its build, its manifest, its licence and its README: no sources, no tests. */
async function onlyWhatShips(/** @type {string} */ tarball) {
  const { stdout } = await run("tar", ["-tzf", tarball]);
  const files = stdout.trim().split("\n");
  const strangers = files.filter(
    (file) => !/^package\/(dist\/.+|package\.json|LICENSE|README\.md)$/.test(file),
  );
  if (strangers.length > 0) throw new Error(`${tarball} contains ${strangers.join(", ")}`);
  if (!files.includes("package/LICENSE")) throw new Error(`${tarball} contains no LICENSE`);
}

/** A tool's complaint is in what it printed. @returns {never} */
function told(/** @type {Error & { stdout?: string, stderr?: string }} */ failure) {
  console.error(failure.stdout ?? "", failure.stderr ?? "");
  throw new Error("A package would not be published as it should be; the complaint is above.", {
    cause: failure.message,
  });
}
