import {
  estimateInGrains,
  InvalidAmountError,
  UNITS,
  type Amounts,
  type Fault,
  type Parsed,
  type Unit,
} from "@quota/core";

/**
 * Reads what a preview is asked about from a query: `estimatedRequests`, `estimatedTokens`, `estimatedUsd`, `estimatedPercent`, in units. All
 * faults are listed at once. Other members are not looked at.
 *
 * @example
 * parseEstimateQuery({ estimatedTokens: "1200" }); // { ok: true, value: { tokens: 1200 } }
 */
export function parseEstimateQuery(query: Readonly<Record<string, unknown>>): Parsed<Amounts> {
  const faults: Fault[] = [];
  const amounts: Partial<Record<Unit, number>> = {};
  for (const unit of UNITS) {
    const path = NAMES[unit];
    const text = query[path];
    if (text === undefined) continue;
    const amount = typeof text === "string" && DECIMAL.test(text) ? Number(text) : text;
    try {
      estimateInGrains({ [unit]: amount }, path);
      amounts[unit] = amount as number;
    } catch (error) {
      if (!(error instanceof InvalidAmountError)) throw error;
      faults.push({
        path,
        code: "amount-invalid",
        message: `${path} must be one number of ${unit} that can be counted, such as 12.`,
      });
    }
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: amounts };
}

const NAMES: Readonly<Record<Unit, string>> = {
  percent: "estimatedPercent",
  requests: "estimatedRequests",
  tokens: "estimatedTokens",
  usd: "estimatedUsd",
};

const DECIMAL = /^\d+(?:\.\d+)?$/u;
