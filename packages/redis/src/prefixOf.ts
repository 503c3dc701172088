import { QuotaConfigError } from "@quota/core";

/**
 * What begins every key.
 *
 * @throws {QuotaConfigError} `prefix-invalid`.
 */
export function prefixOf({ prefix = "quota:" }: { readonly prefix?: string | undefined }): string {
  if (/[{}]/.test(prefix))
    throw new QuotaConfigError({
      code: "prefix-invalid",
      field: "prefix",
      problem: `${JSON.stringify(prefix)} contains a brace.`,
      remedy: "Leave braces out: they say which part of a key decides where a cluster keeps it.",
    });
  return prefix;
}
