import { readFileSync } from "node:fs";

/** The text of a page of this repository, by its path from the root. */
export function page(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
}

/** The rows of the table of a Markdown page whose first column has this name; each cell by the name of its column. */
export function markdownTable(
  text: string,
  firstColumn: string,
): readonly Readonly<Record<string, string>>[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith("|") && cellsOf(line)[0] === firstColumn);
  if (start < 0) throw new Error(`There is no table that begins with "${firstColumn}".`);
  const names = cellsOf(lines[start]!);
  const rows: Readonly<Record<string, string>>[] = [];
  for (let i = start + 2; lines[i]?.startsWith("|"); i += 1) {
    const cells = cellsOf(lines[i]!);
    rows.push(Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""])));
  }
  return rows;
}

function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, line.lastIndexOf("|"))
    .split("|")
    .map((cell) => cell.trim());
}
