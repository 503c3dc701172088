import { refusesSecret } from "../upstreamAuth.js";

/** Which connections' providers do not take their credentials any more: somebody has to log in again. */
export interface LoginWatch {
  /** A provider has answered. What {@link refusesSecret} calls for a login, every other status says that it is not needed (any more). */
  answered(connectionId: string, status: number): void;
  /** The connection was changed or is gone. */
  forget(connectionId: string): void;
  /** A sentence for each connection that needs a login. */
  reasons(): readonly string[];
}

export function createLoginWatch(): LoginWatch {
  const refused = new Map<string, number>();
  return {
    answered(connectionId, status) {
      if (refusesSecret(status)) refused.set(connectionId, status);
      else if (refused.size > 0) refused.delete(connectionId);
    },
    forget: (connectionId) => void refused.delete(connectionId),
    reasons: () =>
      [...refused].map(
        ([id, status]) =>
          `The connection ${JSON.stringify(id)} needs a login: its provider answered ${status}.`,
      ),
  };
}
