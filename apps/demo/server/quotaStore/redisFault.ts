/** Why Redis cannot be used, as the end of "Redis …", without an address or a password. */
export function redisFault(error: unknown): string {
  const causes = causesOf(error);
  for (const { code, message } of causes) {
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND")
      return "cannot be asked, since ioredis is not installed; install it beside the gateway";
    if (code === "redis-server-unknown") return `cannot be used: ${message.replace(/\.$/u, "")}`;
    if (/^(?:WRONGPASS|NOAUTH)\b/u.test(message)) return "does not accept the password";
    const refusal = /^[A-Z][A-Z]+(?= )/u.exec(message)?.[0];
    if (refusal !== undefined && refusal !== "ERR") return `answers ${refusal}`;
  }
  const code = causes.map((each) => each.code).find((each) => typeof each === "string");
  return code === undefined ? "does not answer" : `does not answer (${code})`;
}

function causesOf(error: unknown): readonly { readonly code?: unknown; readonly message: string }[] {
  const causes: (Error & { readonly code?: unknown })[] = [];
  for (let each = error; each instanceof Error && causes.length < 10; each = each.cause) causes.push(each);
  return causes;
}
