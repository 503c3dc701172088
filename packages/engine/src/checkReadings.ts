import { idFault, UNITS, type Fault, type ProviderReading } from "@quota/core";
import { InvalidInputError } from "./invalidInputError.js";

/**
 * Checks what a provider is said to have said. All faults are listed at once.
 *
 * @throws {InvalidInputError} naming the members that are none.
 */
export function checkReadings(connectionId: string, readings: readonly ProviderReading[]): void {
  const faults: Fault[] = [];
  const id = idFault(connectionId, "connectionId");
  if (id !== undefined) faults.push(id);
  if (!Array.isArray(readings))
    faults.push(fault("readings", "not-a-list", "must be a list, as readProviderSignals gives it."));
  else
    readings.forEach((reading: unknown, i) =>
      faults.push(...readingFaults(reading, `readings[${String(i)}]`)),
    );
  if (faults.length > 0) throw new InvalidInputError(faults);
}

function readingFaults(reading: unknown, path: string): readonly Fault[] {
  if (typeof reading !== "object" || reading === null)
    return [fault(path, "not-an-object", "must be a reading, as readProviderSignals gives it.")];
  const { provider, unit, window, utilization, resetsAt, receivedAt, limit, scope, source } =
    reading as Partial<ProviderReading>;
  const faults: Fault[] = [];
  for (const [member, value] of [
    ["provider", provider],
    ["window", window ?? ""],
    ["scope", scope ?? ""],
    ["source", source],
  ] as const)
    if (typeof value !== "string") faults.push(fault(`${path}.${member}`, "not-a-text", "must be a text."));
  if (!UNITS.includes(unit!))
    faults.push(fault(`${path}.unit`, "unknown-unit", `must be one of ${UNITS.join(", ")}.`));
  if (!isFinite(utilization) || utilization < 0)
    faults.push(fault(`${path}.utilization`, "out-of-range", "must be a number from 0; 1 is a full window."));
  if (!isFinite(receivedAt) || receivedAt < 0)
    faults.push(
      fault(
        `${path}.receivedAt`,
        "out-of-range",
        "must be the moment at which it was received, in epoch ms.",
      ),
    );
  if (resetsAt !== undefined && !isFinite(resetsAt))
    faults.push(
      fault(`${path}.resetsAt`, "out-of-range", "must be a moment in epoch ms; leave it out if unknown."),
    );
  if (limit !== undefined && !isFinite(limit))
    faults.push(
      fault(`${path}.limit`, "out-of-range", "must be a number of units; leave it out if unknown."),
    );
  return faults;
}

function isFinite(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function fault(path: string, code: string, text: string): Fault {
  return { path, code, message: `${path} ${text}` };
}
