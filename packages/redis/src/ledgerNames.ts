import type { CounterId, LedgerId } from "@quota/engine";

/** The ledger whose hash tag this is: what `ledgerKeys` made of it, undone. */
export function ledgerOfTag(tag: string): LedgerId {
  return tag === "%" ? "" : unescaped(tag);
}

/** The counter whose field this is: what `fieldOf` made of it, undone. */
export function idOfField(field: string): CounterId {
  return field.startsWith("%") ? unescaped(field.slice(1)) : field;
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]+)\./g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
