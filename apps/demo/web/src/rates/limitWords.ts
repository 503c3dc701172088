/** What is said where a limit is typed. */
export const LIMIT_WORDS = {
  hint: "A whole number a minute, or “none”. 0 refuses everything.",
  fault: "Type a whole number, such as 60, or “none”.",
  rpm: "Requests per minute",
  tpm: "Tokens per minute",
} as const;
