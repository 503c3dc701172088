import { faultsOf } from "../api/request.js";

/** The faults of a connection's fields by path; what is said of the credentials does not repeat that it is. */
export function connectionFaults(error: unknown): ReadonlyMap<string, string> {
  return new Map([...faultsOf(error)].map(([path, message]) => [path, message.replace(/^auth\./u, "")]));
}
