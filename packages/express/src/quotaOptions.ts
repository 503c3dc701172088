import type { Amounts, EpochMs, SpentTokens, TokenPrices } from "@quota/core";
import type {
  Logger,
  QuotaCaller,
  QuotaRequest,
  RatedAdmission,
  RatedEngine,
  WaitingRoom,
} from "@quota/engine";
import type { Estimates, Meter } from "@quota/http";
import type { Request, Response } from "express";
import type { ChargedRequest } from "./chargedRequest.js";

export interface QuotaOptions {
  /** A `QuotaEngine`, or one with a rate plan before it: `withRatePlan` of @quota/engine. */
  readonly engine: RatedEngine;
  /**
   * Who asks, and for which account, after authentication, and whose money it spends, where budgets ask; undefined (nobody that is known) is answered 401 in the client's dialect.
   */
  readonly identify: (request: Request) => Identified | undefined | Promise<Identified | undefined>;
  /**
   * What to hold for a request. Default: `typicalEstimate` of {@link QuotaOptions.estimates} on `request.body` (parsed JSON, text or
   * bytes), or one request where no body was read.
   */
  readonly estimate?: ((request: Request, caller: QuotaCaller) => Amounts) | undefined;
  /** The memory of typical answers; it learns from every settled answer whose estimate it made. Default: one of this middleware's own. */
  readonly estimates?: Estimates | undefined;
  /**
   * The meter for an answer, asked for when its first bytes are there; undefined where its bytes say nothing about use, and it is charged
   * as estimated. Default: `createMeter` of @quota/http for JSON and event streams that are not compressed. It looks on as bytes pass
   * through `response.write` and `response.end`; arguments, return values and callbacks stay as they are.
   */
  readonly measure?: ((request: Request, response: Response) => Meter | undefined) | undefined;
  /**
   * What a model's tokens cost, beside each other and another model's, where that is known: a percentage that the provider publishes is spread
   * over the keys by it. Undefined: as `pricedTokens` of @quota/core weighs them.
   */
  readonly tokenPrices?: ((model: string) => Partial<TokenPrices> | undefined) | undefined;
  /**
   * What tokens cost, in US dollars, where somebody knows: dimensions of `usd` count it. What is held for a request is for `estimate` to say.
   */
  readonly costOf?: ((request: Request, tokens: SpentTokens) => number | undefined) | undefined;
  /**
   * Told once of each admitted request what it is charged, when that is certain: before the handle's `conclude` resolves, where a gateway
   * calls it, else when the response is over. What it throws is logged, and changes nothing.
   */
  readonly onCharged?: ((request: Request, charged: ChargedRequest) => void | Promise<void>) | undefined;
  /** How long, in milliseconds, a request may wait for a refusal to clear. Default 0: not at all. */
  readonly waitUpTo?: number | undefined;
  /** To share the turns among several mounts on one engine. Default: one of this middleware's own. */
  readonly waitingRoom?: WaitingRoom<RatedAdmission> | undefined;
  /** Lets pages of other origins read `Retry-After` and the quota headers (`Access-Control-Expose-Headers`). Default false. */
  readonly exposeHeaders?: boolean | undefined;
  /** What a refused request is called, in its answer. Default: a new id. */
  readonly requestId?: ((request: Request, response: Response) => string) | undefined;
  /** The engine's clock. Default: the system's. */
  readonly clock?: { now(): EpochMs } | undefined;
  readonly logger?: Logger | undefined;
}

type Identified = QuotaCaller & Pick<QuotaRequest, "spend">;
