import { amountsInGrains, type Amounts, type SpentTokens } from "@quota/core";
import type { Lease, Logger, QuotaRequest, RatedAdmission, RatedEngine, WaitingRoom } from "@quota/engine";
import {
  settlementOf,
  type Estimates,
  type MeasuredAnswer,
  type Meter,
  type RequestOutcome,
  type Settlement,
} from "@quota/http";
import type { Request, Response } from "express";
import { chargeFor, type Charge } from "./chargeFor.js";
import type { ChargedRequest } from "./chargedRequest.js";
import { createAnswerMeter } from "./createAnswerMeter.js";
import { onResponseOver, type ResponseEnd } from "./onResponseOver.js";
import { tieHandle, type QuotaHandle } from "./quotaOf.js";
import type { QuotaOptions } from "./quotaOptions.js";

/** One response, from before the engine is asked until its lease is given back: once, in whatever order things end. */
export interface GovernedAnswer {
  /** The response is over, or somebody else has answered. */
  isOver(): boolean;
  /** Aborted when the response is over before the engine has answered. */
  signal(): AbortSignal;
  /**
   * The engine has answered. False where there is nothing more to do: the response is over or somebody else's; what was held
   * is given back.
   */
  begin(asked: QuotaRequest, admission: RatedAdmission): boolean;
  /** The middleware answers by itself, or fails: nobody needs to look on. */
  drop(): void;
}

export interface AnswerTools {
  readonly engine: Pick<RatedEngine, "follow">;
  readonly room: Pick<WaitingRoom, "settle" | "release">;
  readonly estimates: Pick<Estimates, "learn">;
  readonly measure: ((request: Request, response: Response) => Meter | undefined) | undefined;
  readonly tokenPrices: QuotaOptions["tokenPrices"];
  readonly costOf: QuotaOptions["costOf"];
  readonly onCharged: QuotaOptions["onCharged"];
  readonly logger: Logger | undefined;
}

export function governAnswer(exchange: Exchange, tools: AnswerTools): GovernedAnswer {
  const { response } = exchange;
  let over = false;
  let leaving: AbortController | undefined;
  let settleAs: ((end: ResponseEnd) => void) | undefined;

  onResponseOver(exchange, (end) => {
    if (over) return;
    over = true;
    if (settleAs === undefined) leaving?.abort();
    else settleAs(end);
  });

  const isOver = (): boolean => over || response.headersSent || response.writableEnded || response.destroyed;

  // Methods, not getters: an accessor in a literal gives every object a hidden class of its own, and requests pay for that.
  return {
    isOver,
    signal() {
      leaving ??= new AbortController();
      return leaving.signal;
    },
    begin(asked, admission) {
      const { decision, lease } = admission;
      if (isOver()) {
        this.drop();
        if (lease) giveBack(lease, { action: "release" }, tools);
        return false;
      }
      if (lease === undefined) this.drop();
      else settleAs = lookOn(exchange, { asked, decision, lease }, tools);
      return true;
    },
    drop() {
      over = true;
    },
  };
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Looks on while an admitted request is answered. What is returned settles it. */
function lookOn(
  exchange: Exchange,
  {
    asked,
    decision,
    lease,
  }: {
    readonly asked: QuotaRequest;
    readonly decision: Extract<RatedAdmission, { readonly lease: unknown }>["decision"];
    readonly lease: Lease;
  },
  tools: AnswerTools,
): (end: ResponseEnd) => void {
  const { request, response } = exchange;
  const { tokenPrices, costOf, onCharged, logger } = tools;
  const priced = costOf && ((tokens: SpentTokens) => costOf(request, tokens));
  const meter = createAnswerMeter(exchange, tools);
  let handle: QuotaHandle | undefined;
  let upstreamStatus: number | undefined;
  let failed = false;
  let reported: Amounts | undefined;
  let concluded: Concluded | undefined;

  tieHandle(response, theHandle);
  tools.engine.follow?.(lease, () => {
    const { usage, produced } = chargeOf(meter.soFar());
    return usage ?? produced ?? {};
  });

  function theHandle(): QuotaHandle {
    handle ??= {
      decision,
      lease,
      observe: meter.observe,
      upstream(statusCode) {
        upstreamStatus = statusCode;
      },
      failed() {
        failed = true;
      },
      report(amounts) {
        amountsInGrains(amounts, "amounts");
        reported = amounts;
      },
      isWhole: () => meter.soFar()?.ended === true,
      conclude() {
        const seen = meter.soFar();
        // More may follow an answer that is whole, and is looked at no more.
        concluded ??= conclude("finished", seen?.ended === true ? seen : meter.finish());
        return concluded.told;
      },
    };
    return handle;
  }

  function chargeOf(measured: MeasuredAnswer | undefined): Charge {
    return chargeFor({ asked, measured, reported, tokenPrices, costOf: priced });
  }

  function conclude(end: ResponseEnd, measured: MeasuredAnswer | undefined): Concluded {
    const charge = chargeOf(measured);
    const { estimate, usage, produced } = charge;
    const outcome = outcomeOf(end);
    const settlement = settlementOf({ outcome, estimate, usage, produced });
    const tokens = settlement.action === "settle" ? charge.tokens : undefined;
    const told = tell({ asked, lease, outcome, settlement, tokens });
    return { charge, settlement, told };
  }

  function tell(charged: ChargedRequest): void | Promise<void> {
    if (onCharged === undefined) return;
    const failed = (err: unknown): void =>
      logger?.warn(
        { scope: "quota:charge", err },
        "Whoever is told of charges failed; the request is charged all the same.",
      );
    try {
      const told = onCharged(request, charged);
      return told?.catch(failed);
    } catch (err) {
      failed(err);
    }
  }

  function outcomeOf(end: ResponseEnd): RequestOutcome {
    if (failed || end === "destroyed") return { kind: "failed" };
    if (end === "client-left") {
      const begun = response.headersSent ? response.statusCode : undefined;
      return { kind: end, status: upstreamStatus ?? begun };
    }
    if (meter.isBroken()) return { kind: "failed" };
    const upstreamFailed = upstreamStatus !== undefined && (upstreamStatus < 200 || upstreamStatus > 299);
    return { kind: "answered", status: upstreamFailed ? upstreamStatus! : response.statusCode };
  }

  return (end) => {
    const { charge, settlement } = (concluded ??= conclude(end, meter.finish()));
    giveBack(lease, settlement, tools);
    if (charge.lesson !== undefined && settlement.action === "settle")
      tools.estimates.learn({ apiKeyId: asked.apiKeyId, ...charge.lesson });
  };
}

/** What is settled of an answer, while its response may still be under way. */
interface Concluded {
  readonly charge: Charge;
  readonly settlement: Settlement;
  readonly told: void | Promise<void>;
}

/** Nobody waits for this, and nothing of it reaches the client. */
function giveBack(lease: Lease, settlement: Settlement, { room, logger }: AnswerTools): void {
  const done = settlement.action === "settle" ? room.settle(lease, settlement.actual) : room.release(lease);
  done.catch(async (err: unknown) => {
    logger?.warn(
      { scope: "quota:settle", err },
      "A request could not be charged what it took; its estimate is charged.",
    );
    await room.settle(lease);
  });
}
