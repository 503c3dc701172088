/** How Chromium is started for tests and benches: it opens nothing but pages of this workspace, and asks nobody else for anything. */
export const CHROMIUM_FLAGS: readonly string[] = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
