/** What the reader wants to see; `system` follows the machine. */
export type Theme = "system" | "light" | "dark";

export const THEMES: readonly Theme[] = ["system", "light", "dark"];

const KEPT_AS = "quota:theme";

/** What was chosen last, in this browser. */
export function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return THEMES.find((theme) => theme === kept) ?? "system";
}

/** Shows it from now on. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEPT_AS);
    return;
  }
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(KEPT_AS, theme);
}
