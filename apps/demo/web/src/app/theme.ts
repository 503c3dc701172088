import { keep, kept } from "../ui/kept.js";

/** What the reader wants to see; `system` follows the machine. */
export type Theme = "system" | "light" | "dark";

export const THEMES: readonly Theme[] = ["system", "light", "dark"];

const KEPT_AS = "quota:theme";

/** What was chosen last, in this browser. */
export function keptTheme(): Theme {
  const name = kept(KEPT_AS);
  return THEMES.find((theme) => theme === name) ?? "system";
}

/** Shows it from now on. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    keep(KEPT_AS, undefined);
    return;
  }
  document.documentElement.dataset.theme = theme;
  keep(KEPT_AS, theme);
}
