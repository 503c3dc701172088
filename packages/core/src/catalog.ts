import { parseDimensions, type Dimension, type DimensionSpec } from "./dimension.js";

/**
 * What well-known providers grant one account. A provider that is not listed (`openai`, `anthropic`: it depends on the
 * contract) has the empty plan until somebody stores one by hand.
 *
 * Z.ai (glm) and MiniMax publish windows but no figures: counted, not limited.
 */
export const CATALOG: ReadonlyMap<string, readonly Dimension[]> = catalogOf({
  codex: [
    { unit: "percent", window: "5h", limit: 100 },
    { unit: "percent", window: "weekly", limit: 100 },
  ],
  glm: [
    { unit: "tokens", window: "5h", limit: "unknown" },
    { unit: "tokens", window: "weekly", limit: "unknown" },
  ],
  minimax: [
    { unit: "tokens", window: "5h", limit: "unknown" },
    { unit: "tokens", window: "weekly", limit: "unknown" },
  ],
  bailian: [
    { unit: "percent", window: "5h", limit: 100 },
    { unit: "percent", window: "weekly", limit: 100 },
    { unit: "percent", window: "monthly", limit: 100 },
  ],
  kimi: [{ unit: "requests", window: "hourly", limit: 1500 }],
  alibaba: [{ unit: "requests", window: "monthly", limit: 90_000 }],
});

function catalogOf(
  specs: Readonly<Record<string, readonly DimensionSpec[]>>,
): ReadonlyMap<string, readonly Dimension[]> {
  const entries = Object.entries(specs).map(([provider, dimensions]) => {
    const parsed = parseDimensions(dimensions);
    if (!parsed.ok) throw new TypeError(parsed.faults.map((fault) => fault.message).join(" "));
    return [provider, parsed.value] as const;
  });
  return new Map(entries);
}
