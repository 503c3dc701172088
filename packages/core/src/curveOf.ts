import type { GovernedPool } from "./governedPool.js";
import type { PoolTerms } from "./pool.js";
import type { ReserveCurve } from "./reserveCurve.js";

/** The curve of the rule that keeps reserves: the pool's own, or its shadow's. */
export function curveOf({
  lending,
  shadow,
}: Pick<GovernedPool<PoolTerms>, "lending" | "shadow">): ReserveCurve {
  if (lending.rule === "reserve") return lending.curve;
  return shadow?.rule === "reserve" ? shadow.curve : "pace";
}
