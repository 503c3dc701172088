import type { WindowTerms } from "../accountSettings.js";
import type { AccountRefusal, AccountView } from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";

/** How one provider grants, tells and refuses. */
export interface ProviderFamily {
  /** What an account has until somebody says otherwise. */
  readonly windows: readonly WindowTerms[];
  /** On every answer, refusals included; there the window that refuses is in `refusal`. */
  headers(view: AccountView, refusal?: AccountRefusal): Headers;
  /** How it says that a limit is reached; `headers` come beside those of every answer. */
  refuse(view: AccountView, refusal: AccountRefusal): Refused;
  readonly usage?: UsageEndpoint;
}

export interface Refused {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers;
}

/** Where the owner's own tools ask how full the account is. It costs nothing. */
export interface UsageEndpoint {
  /** How its path ends, whatever base stands before it. */
  readonly pathEnds: readonly string[];
  body(view: AccountView): JsonObject;
}

export type Headers = Readonly<Record<string, string>>;
