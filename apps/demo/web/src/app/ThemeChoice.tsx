import { useState } from "react";
import { applyTheme, keptTheme, THEMES, type Theme } from "./theme.js";
import styles from "./ThemeChoice.module.css";

/** Light, dark, or as the machine is. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(keptTheme);
  return (
    <label className={styles.choice}>
      <span className="visually-hidden">Look</span>
      <select
        value={theme}
        onChange={({ target }) => {
          const chosen = target.value as Theme;
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {NAMES[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

const NAMES: Readonly<Record<Theme, string>> = { system: "As the system", light: "Light", dark: "Dark" };
