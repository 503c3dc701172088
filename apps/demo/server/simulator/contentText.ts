import { isJsonObject } from "./jsonObject.js";

/**
 * The text inside a message, a list of content parts, an input item, a tool result: whatever the three request formats put
 * where a model reads. Pictures and encrypted reasoning have no text here.
 */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map(contentText)
      .filter((text) => text !== "")
      .join("\n");
  if (!isJsonObject(content)) return "";
  return fieldsWithText
    .map((field) => contentText(content[field]))
    .filter((text) => text !== "")
    .join("\n");
}

const fieldsWithText = ["text", "content", "thinking", "name", "arguments", "output", "summary"];
