import { useQueryClient } from "@tanstack/react-query";
import type { PoolJson } from "@quota/http";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { readPoolsAgain } from "../api/readPoolsAgain.js";
import { request } from "../api/request.js";
import { usePools } from "../api/usePools.js";
import { LEGACY_POOLS_KEY, moveLegacyPools, type LegacyMove } from "./moveLegacyPools.js";
import { parseLegacyPools } from "./parseLegacyPools.js";

export interface PoolMigration {
  readonly state: "waiting" | "moving" | "idle";
  readonly moved: LegacyMove["moved"];
  /** What is still in the browser, and why. */
  readonly left: readonly LeftBehind[];
  /** All that is left, as it is written there; undefined when nothing is. */
  readonly raw: string | undefined;
  /** Whether another attempt may move some of it. */
  readonly canTry: boolean;
  move(): Promise<void>;
  /** Deletes what is left. */
  discard(): void;
}

export interface LeftBehind {
  readonly label: string;
  readonly why: string;
}

/**
 * Moves the pools that an older dashboard kept in this browser to the gateway: by itself once `GET /api/quota/pools` has answered that there
 * are none, and whenever it is asked to. Of several tabs one moves, and the others find nothing to do.
 */
export function useLocalStoragePoolMigration(): PoolMigration {
  const queries = useQueryClient();
  const { data: pools } = usePools();
  const [raw, setRaw] = useState(kept);
  const [isMoving, setMoving] = useState(false);
  const [{ moved, reasons }, setDone] = useState<LegacyMove>(NOTHING);

  const move = useCallback(async () => {
    setMoving(true);
    try {
      const now = await alone(() => moveLegacyPools({ storage: localStorage, ...gateway }));
      setDone((before) => ({ moved: [...before.moved, ...now.moved], reasons: now.reasons }));
      if (now.moved.length > 0) readPoolsAgain(queries);
    } finally {
      setRaw(kept());
      setMoving(false);
    }
  }, [queries]);

  const isFirstAnswer = useRef(true);
  // Before the first picture: what is about to move is not shown as left behind.
  useLayoutEffect(() => {
    if (pools === undefined || !isFirstAnswer.current) return;
    isFirstAnswer.current = false;
    // eslint-disable-next-line react-hooks/set-state-in-effect -- Drawn once more, before anything is seen.
    if (pools.length === 0 && kept() !== undefined) void move();
  }, [pools, move]);

  useEffect(() => {
    const look = (): void => setRaw(kept());
    window.addEventListener("storage", look);
    return () => window.removeEventListener("storage", look);
  }, []);

  const { left, canTry } = useMemo(() => leftOf(raw, reasons), [raw, reasons]);
  return {
    state: isMoving ? "moving" : pools === undefined ? "waiting" : "idle",
    moved,
    left,
    raw,
    canTry,
    move,
    discard() {
      localStorage.removeItem(LEGACY_POOLS_KEY);
      setRaw(undefined);
    },
  };
}

const NOTHING: LegacyMove = { moved: [], reasons: new Map() };

const gateway = {
  list: () => request<readonly PoolJson[]>("/api/quota/pools"),
  post: (body: unknown) => request<PoolJson>("/api/quota/pools", { method: "POST", body }),
};

function kept(): string | undefined {
  const raw = localStorage.getItem(LEGACY_POOLS_KEY);
  return raw === null || raw.trim() === "" ? undefined : raw;
}

/** One tab at a time, where the browser can see to that (on a secure origin); elsewhere the gateway refuses a second pool. */
async function alone<Result>(task: () => Promise<Result>): Promise<Result> {
  const { locks } = navigator as { readonly locks?: LockManager };
  return locks === undefined ? task() : locks.request(LEGACY_POOLS_KEY, task);
}

function leftOf(
  raw: string | undefined,
  reasons: LegacyMove["reasons"],
): { readonly left: readonly LeftBehind[]; readonly canTry: boolean } {
  if (raw === undefined) return { left: [], canTry: false };
  const parsed = parseLegacyPools(raw);
  if (!parsed.isReadable) return { left: [{ label: "All of it", why: parsed.why }], canTry: false };
  return {
    left: parsed.items.map((item) => ({
      label: item.label,
      why: item.pool === undefined ? item.why : (reasons.get(item.text) ?? NOT_TRIED),
    })),
    canTry: parsed.items.some(({ pool }) => pool !== undefined),
  };
}

const NOT_TRIED = "It was not moved by itself, because this gateway has pools already.";
