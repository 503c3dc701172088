import type { DimensionSpec } from "@quota/core";
import type { SeenPlan } from "./usePlans.js";

/** A plan while it is edited. */
export interface PlanDraft {
  /** The plan as it was when the editing began, or when the editor last saw what others made of it. */
  readonly base: SeenPlan;
  readonly rows: readonly DimensionDraft[];
}

/** A dimension while it is edited: every field as it was typed. */
export interface DimensionDraft {
  /** Tells rows apart while they come and go. */
  readonly row: number;
  readonly unit: DimensionSpec["unit"];
  readonly window: DimensionSpec["window"];
  readonly limit: string;
  readonly anchor: "rolling" | "epoch" | "first-use" | "calendar";
  /** The time zone of a calendar. */
  readonly zone: string;
  readonly slots: string;
  readonly edge: "weighted" | "full";
}

export function planDraft(base: SeenPlan): PlanDraft {
  return { base, rows: base.dimensions.map(dimensionDraft) };
}

/** With one more dimension, of which nothing is known. */
export function withDimension({ base, rows }: PlanDraft): PlanDraft {
  const row = Math.max(-1, ...rows.map((other) => other.row)) + 1;
  return { base, rows: [...rows, dimensionDraft({ unit: "requests", window: "5h", limit: "" }, row)] };
}

/** The dimensions for the gateway to judge: what is no number goes there as it was typed. */
export function typedDimensions({ rows }: Pick<PlanDraft, "rows">): readonly unknown[] {
  return rows.map(({ unit, window, limit, anchor, zone, slots, edge }) => ({
    unit,
    window,
    limit: limit.trim().toLowerCase() === "unknown" ? "unknown" : typedNumber(limit),
    ...(anchor === "rolling" && slots.trim() !== "" && { slots: typedNumber(slots) }),
    ...(anchor === "rolling" && edge === "full" && { edge }),
    ...(anchor === "calendar" ? { anchor: { calendar: zone.trim() } } : anchor !== "rolling" && { anchor }),
  }));
}

/** Whether anything in it differs from the plan that it began with. */
export function isChanged(draft: PlanDraft): boolean {
  return written(typedDimensions(draft)) !== written(typedDimensions(planDraft(draft.base)));
}

/** What was typed as a number, where it is one. */
export function typedNumber(text: string): number | string {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : text;
}

function dimensionDraft(
  spec: Omit<DimensionSpec, "limit"> & { readonly limit: number | string },
  row: number,
): DimensionDraft {
  const { unit, window, limit, slots, edge = "weighted", anchor } = spec;
  return {
    row,
    unit,
    window,
    limit: String(limit),
    anchor: anchor === undefined ? "rolling" : typeof anchor === "string" ? anchor : "calendar",
    zone: typeof anchor === "object" ? anchor.calendar : "",
    slots: slots === undefined ? "" : String(slots),
    edge,
  };
}

function written(dimensions: readonly unknown[]): string {
  return JSON.stringify(dimensions);
}
