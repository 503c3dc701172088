import type { PoolJson } from "@quota/http";

/** What one types to show that one means this pool. */
export interface DeletionProof {
  readonly what: "name" | "id" | "word";
  readonly text: string;
}

/**
 * A pool's name; its id where the name cannot reasonably be typed (long, empty to the eye, or with characters that one does not see); the
 * word `delete` where the id cannot, either.
 */
export function deletionProof({ id, name }: Pick<PoolJson, "id" | "name">): DeletionProof {
  if (canBeTyped(name)) return { what: "name", text: name };
  if (canBeTyped(id)) return { what: "id", text: id };
  return { what: "word", text: "delete" };
}

/** Whether that is what was asked for. Spaces that look alike are alike, and so are letters, however they are encoded. */
export function proves(typed: string, { text }: DeletionProof): boolean {
  return asSeen(typed) === asSeen(text);
}

function canBeTyped(text: string): boolean {
  // \p{C}: control and format characters, marks of direction among them; what is not assigned, or is only half a character.
  return asSeen(text) !== "" && text.length <= LONGEST && !/\p{C}/u.test(text);
}

/** In UTF-16 units. */
const LONGEST = 60;

function asSeen(text: string): string {
  return text.normalize("NFC").replace(/\s+/gu, " ").trim();
}
