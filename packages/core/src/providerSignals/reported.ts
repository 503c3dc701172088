/** A field that says something: −1 is how Azure and OpenRouter write "not reported". */
export function reported(value: string | undefined): string | undefined {
  return value === "-1" || value === "" ? undefined : value;
}
