/** Whether a fault's path is a field's own or leads into it: `models[2]` and `models` are both of `models`. */
export function isUnderPath(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}[`) || path.startsWith(`${field}.`);
}
