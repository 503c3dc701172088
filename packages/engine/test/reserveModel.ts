import {
  WINDOW_MS,
  type AllocationSpec,
  type DimensionSpec,
  type EpochMs,
  type ReserveCurve,
} from "@quota/core";

/**
 * The decaying reserve as its definition says it, for tests: one explicit reserve per key, every use and every hold kept one by one, and no
 * aggregate. Amounts are grains of dimensions whose unit is one (requests, tokens).
 */
export interface ReserveModel {
  now: EpochMs;
  /** What the provider saw beyond what is counted here, dimension by dimension. */
  readonly outside: number[];
  /** Lets time pass: holds evaporate two generations after their own, windows begin anew. */
  passTo(now: EpochMs): void;
  /** What would be answered; changes nothing but the time. */
  ask(key: string, costs: readonly number[]): ModelAnswer;
  hold(key: string, costs: readonly number[]): ModelHold;
  /** Ends a hold, whether it is still there or not, and counts what was used. */
  settle(hold: ModelHold, used: readonly number[]): void;
  consume(key: string, used: readonly number[]): void;
  /** Cuts every reserve where more was used than planned. */
  cut(): void;
  /** Everything as it stands, dimension by dimension. */
  look(): readonly ModelDimension[];
  clone(): ReserveModel;
}

export interface ModelAnswer {
  readonly status: "allowed" | "deprioritized" | "refused";
}

export interface ModelHold {
  readonly key: string;
  readonly generation: number;
  readonly costs: readonly number[];
  readonly own: readonly number[];
}

export interface ModelDimension {
  readonly limit: number;
  readonly used: number;
  /** Of every key that has a share. */
  readonly reserves: ReadonlyMap<string, number>;
  readonly spare: number;
  /** More was used than planned: the numbers are those after every reserve was cut. */
  readonly isCut: boolean;
  readonly elapsed: number;
}

export interface ModelSetup {
  readonly dimensions: readonly Pick<DimensionSpec, "window" | "limit" | "unit">[];
  readonly allocations: readonly AllocationSpec[];
  readonly unallocated: "borrow" | "allow";
  readonly curve: ReserveCurve;
  readonly leaseMs: number;
}

interface Line {
  readonly share: number;
  readonly kept: number;
  readonly most: number;
  readonly cap: number;
}

/** One dimension's numbers. */
interface Book {
  window: number;
  /** r: what is held for a key, as it was last touched. */
  readonly reserves: Map<string, number>;
  readonly settled: Map<string, number>;
}

export function reserveModel(setup: ModelSetup, now: EpochMs): ReserveModel {
  const dimensions = setup.dimensions.map(({ limit, window }) => ({
    limit: limit as number,
    lengthMs: WINDOW_MS[window],
  }));
  const books = dimensions.map(({ lengthMs }, d): Book => ({
    window: Math.floor(now / lengthMs),
    reserves: new Map(setup.allocations.map(({ apiKeyId }) => [apiKeyId, lineOf(setup, apiKeyId, d).share])),
    settled: new Map(),
  }));
  return modelOver({ setup, now, books, holds: new Set(), outside: dimensions.map(() => 0) });
}

function lineOf({ dimensions, allocations }: ModelSetup, key: string, d: number): Line {
  const { limit, unit } = dimensions[d]! as { limit: number; unit: string };
  const found = allocations.find(({ apiKeyId }) => apiKeyId === key);
  if (found === undefined) return { share: 0, kept: 0, most: Infinity, cap: Infinity };
  const weights = allocations.reduce((sum, { weight }) => sum + weight, 0);
  const share = Math.floor((limit * found.weight) / Math.max(100, weights));
  const lends = found.lend === false ? 0 : found.lendingLimit;
  return {
    share,
    kept: lends === undefined ? 0 : Math.max(0, share - Math.floor((limit * lends) / 100)),
    most:
      found.borrowingLimit === undefined
        ? Infinity
        : Math.min(limit, share + Math.floor((limit * found.borrowingLimit) / 100)),
    cap: found.capUnit === unit ? found.capValue! : Infinity,
  };
}

function modelOver(state: {
  readonly setup: ModelSetup;
  now: EpochMs;
  readonly books: readonly Book[];
  readonly holds: Set<ModelHold>;
  readonly outside: number[];
}): ReserveModel {
  const { setup, books, holds, outside } = state;
  const { leaseMs, curve, allocations } = setup;
  const keys = allocations.map(({ apiKeyId }) => apiKeyId);
  const lines = setup.dimensions.map(
    (_dimension, d) => new Map(keys.map((key) => [key, lineOf(setup, key, d)])),
  );
  const lengthOf = (d: number): number => WINDOW_MS[setup.dimensions[d]!.window];
  const limitOf = (d: number): number => setup.dimensions[d]!.limit as number;
  const lineAt = (key: string, d: number): Line => lines[d]!.get(key) ?? lineOf(setup, key, d);

  function elapsed(d: number): number {
    return (state.now - books[d]!.window * lengthOf(d)) / lengthOf(d);
  }
  function cap(key: string, d: number): number {
    const x = elapsed(d);
    const f = x >= 0.98 ? 0 : curve === "pace" ? 1 - x * x : Math.min(1, curve.hold * leftOf(d));
    const { share, kept } = lineAt(key, d);
    return Math.max(kept, Math.floor(share * f));
  }
  function leftOf(d: number): number {
    return ((books[d]!.window + 1) * lengthOf(d) - state.now) / lengthOf(d);
  }
  function usedBy(key: string, d: number): number {
    let used = books[d]!.settled.get(key) ?? 0;
    for (const hold of holds) if (hold.key === key) used += hold.costs[d]!;
    return used;
  }
  function everyone(d: number): number {
    let used = outside[d]!;
    for (const amount of books[d]!.settled.values()) used += amount;
    for (const hold of holds) used += hold.costs[d]!;
    return used;
  }
  /** The reserve as it is now: touched, and never more than is left of the share. */
  function reserve(key: string, d: number): number {
    const written = books[d]!.reserves.get(key);
    if (written === undefined) return 0;
    return Math.max(0, Math.min(written, cap(key, d), lineAt(key, d).share - usedBy(key, d)));
  }
  function allReserved(d: number): number {
    return keys.reduce((sum, key) => sum + reserve(key, d), 0);
  }
  function spare(d: number): number {
    return limitOf(d) - everyone(d) - allReserved(d);
  }
  function charge(key: string, d: number, amount: number): number {
    const own = Math.min(amount, reserve(key, d));
    if (own > 0) books[d]!.reserves.set(key, Math.min(books[d]!.reserves.get(key)!, cap(key, d)) - own);
    return own;
  }
  function settleIn(
    key: string,
    d: number,
    { moved, used }: { readonly moved: number; readonly used: number },
  ): void {
    const { settled, reserves } = books[d]!;
    const add = (amount: number): void => void settled.set(key, (settled.get(key) ?? 0) + amount);
    // The hold goes over into the window as it was: neutral. Then the difference.
    add(moved);
    const difference = used - moved;
    if (difference >= 0) {
      charge(key, d, difference);
      add(difference);
      return;
    }
    const before = reserve(key, d);
    add(difference);
    const written = reserves.get(key);
    if (written === undefined) return;
    const { share } = lineAt(key, d);
    const back = Math.min(cap(key, d), before - difference, Math.max(0, share - usedBy(key, d)));
    reserves.set(key, Math.max(Math.min(written, cap(key, d)), back));
  }
  function evaporate(hold: ModelHold): void {
    holds.delete(hold);
    books.forEach(({ reserves }, d) => {
      const written = reserves.get(hold.key);
      if (written !== undefined) reserves.set(hold.key, written + hold.own[d]!);
    });
  }
  function begin(d: number, window: number): void {
    const book = books[d]!;
    book.window = window;
    book.settled.clear();
    for (const key of keys) {
      let own = 0;
      for (const hold of holds) if (hold.key === key) own += hold.own[d]!;
      book.reserves.set(key, lineAt(key, d).share - own);
    }
  }

  const model: ReserveModel = {
    get now() {
      return state.now;
    },
    set now(now) {
      model.passTo(now);
    },
    outside,
    passTo(now) {
      for (;;) {
        let next = now;
        let happens: (() => void) | undefined;
        for (const hold of holds) {
          const at = (hold.generation + 2) * leaseMs;
          if (at <= next) {
            next = at;
            happens = () => evaporate(hold);
          }
        }
        books.forEach(({ window }, d) => {
          const at = (window + 1) * lengthOf(d);
          if (at < next || (at === next && happens === undefined)) {
            next = at;
            happens = () => begin(d, window + 1);
          }
        });
        state.now = next;
        if (happens === undefined) return;
        happens();
      }
    },
    ask(key, costs) {
      const policy = allocations.find(({ apiKeyId }) => apiKeyId === key)?.policy;
      const kind = policy ?? (keys.includes(key) || setup.unallocated === "borrow" ? "hard" : "burst");
      let isPast = false;
      for (let d = 0; d < books.length; d += 1) {
        const cost = costs[d]!;
        const line = lineAt(key, d);
        const used = usedBy(key, d);
        const total = everyone(d);
        if (used >= line.cap || used + cost > line.cap) return { status: "refused" };
        if (total >= limitOf(d) || total + cost > limitOf(d)) return { status: "refused" };
        if (used + cost > line.most) return { status: "refused" };
        if (kind === "burst") continue;
        if (Math.max(0, cost - reserve(key, d)) <= spare(d)) continue;
        if (kind === "hard") return { status: "refused" };
        isPast = true;
      }
      return { status: isPast ? "deprioritized" : "allowed" };
    },
    hold(key, costs) {
      const own = books.map((_book, d) => charge(key, d, costs[d]!));
      const hold = { key, costs, own, generation: Math.floor(state.now / leaseMs) };
      holds.add(hold);
      return hold;
    },
    settle(hold, used) {
      const isHeld = holds.delete(hold);
      books.forEach((_book, d) => {
        settleIn(hold.key, d, { moved: isHeld ? hold.costs[d]! : 0, used: used[d]! });
      });
    },
    consume(key, used) {
      books.forEach((_book, d) => {
        settleIn(key, d, { moved: 0, used: used[d]! });
      });
    },
    cut() {
      books.forEach(({ reserves }, d) => {
        const held = allReserved(d);
        if (spare(d) >= 0 || held === 0) return;
        const left = Math.max(0, Math.floor(limitOf(d) - everyone(d)));
        const cutDown = keys.map((key) => [key, Math.floor((reserve(key, d) * left) / held)] as const);
        for (const [key, amount] of cutDown) reserves.set(key, amount);
      });
    },
    look() {
      const shown = model.clone();
      return books.map((_book, d) => ({
        limit: limitOf(d),
        used: everyone(d),
        elapsed: elapsed(d),
        spare: spare(d),
        isCut: false,
        reserves: new Map(keys.map((key) => [key, reserve(key, d)])),
        ...(spare(d) < 0 && allReserved(d) > 0 && cutOf(shown, d)),
      }));
    },
    clone() {
      return modelOver({
        setup,
        now: state.now,
        books: books.map(({ window, reserves, settled }) => ({
          window,
          reserves: new Map(reserves),
          settled: new Map(settled),
        })),
        holds: new Set(holds),
        outside: outside.slice(),
      });
    },
  };
  return model;
}

/** What a dimension looks like once its reserves are cut. */
function cutOf(model: ReserveModel, d: number): Pick<ModelDimension, "reserves" | "spare" | "isCut"> {
  model.cut();
  const { reserves, spare } = model.look()[d]!;
  return { reserves, spare, isCut: true };
}
