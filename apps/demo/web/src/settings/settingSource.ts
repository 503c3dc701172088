/** Who says what a setting is, in words; the variable is the one that would say so in the environment. */
export function settingSource(source: "database" | "environment" | "default", variable: string): string {
  switch (source) {
    case "database":
      return "set here";
    case "environment":
      return `from ${variable}`;
    case "default":
      return "the default";
  }
}
