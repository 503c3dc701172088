import { refusesSecret } from "../upstreamAuth.js";

/** Which connections' providers do not take their credentials any more: somebody has to log in again. */
export interface LoginWatch {
  /** A provider has answered. What {@link refusesSecret} calls for a login, every other status says that it is not needed (any more). */
  answered(connectionId: string, status: number): void;
  /** The connection was changed or is gone. */
  forget(connectionId: string): void;
  /** Each connection that needs a login. */
  needed(): readonly LoginNeeded[];
}

export interface LoginNeeded {
  readonly connectionId: string;
  /** A sentence, which names the connection. */
  readonly reason: string;
}

export function createLoginWatch(): LoginWatch {
  const refused = new Map<string, number>();
  return {
    answered(connectionId, status) {
      if (refusesSecret(status)) refused.set(connectionId, status);
      else if (refused.size > 0) refused.delete(connectionId);
    },
    forget: (connectionId) => void refused.delete(connectionId),
    needed: () =>
      [...refused].map(([connectionId, status]) => ({
        connectionId,
        reason: `The connection ${JSON.stringify(connectionId)} needs a login: its provider answered ${status}.`,
      })),
  };
}
