/** Where a connection leads, in words: its address, or what the built-in simulator plays. */
export function addressText(baseUrl: string): string {
  if (baseUrl === "simulator") return "built-in simulator";
  return baseUrl.startsWith("simulator/")
    ? `built-in simulator as ${baseUrl.slice("simulator/".length)}`
    : baseUrl;
}
