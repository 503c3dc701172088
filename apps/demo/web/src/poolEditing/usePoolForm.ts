import { useEffect, useMemo, useReducer, useRef, useState, type Dispatch, type RefObject } from "react";
import { faultsOf } from "../api/request.js";
import type { ApiKey } from "../api/useKeys.js";
import { changeDraft, type DraftChange } from "./changeDraft.js";
import { draftFaults } from "./draftFaults.js";
import { fieldFaults, type FieldFaults } from "./fieldFaults.js";
import type { PoolDraft } from "./poolDraft.js";
import { shownFaults, type RefusedDraft } from "./shownFaults.js";

export interface PoolForm {
  readonly draft: PoolDraft;
  readonly dispatch: Dispatch<DraftChange>;
  /** What is to be said now: all after an attempt to save; before that nothing of fields that are still empty. */
  readonly faults: FieldFaults;
  /** Around the fields: the first wrong one gets the focus after an attempt. */
  readonly box: RefObject<HTMLDivElement | null>;
  /** Whether it may be sent; if not, the first wrong field has the focus. */
  attempt(): boolean;
  /** The gateway's own objections; shown until what they are about is changed. */
  refuse(error: unknown): void;
}

/** A pool in a form: what was typed, and what is wrong with it by core's rule or the gateway's word. */
export function usePoolForm(
  initial: () => PoolDraft,
  {
    connectionId,
    keys,
    name,
  }: {
    readonly connectionId: string;
    readonly keys: readonly ApiKey[] | undefined;
    /** Where it is not the draft's own. */
    readonly name?: string;
  },
): PoolForm {
  const [typed, dispatch] = useReducer(changeDraft, undefined, initial);
  const draft = useMemo(() => (name === undefined ? typed : { ...typed, name }), [typed, name]);
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState<RefusedDraft>();
  const [attempts, setAttempts] = useState(0);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (keys !== undefined) dispatch({ kind: "keys", apiKeyIds: keys.map(({ id }) => id) });
  }, [keys]);

  const found = useMemo(() => draftFaults(connectionId, draft), [connectionId, draft]);
  const faults = useMemo(
    () => shownFaults({ draft, connectionId, found, isTried, refused }),
    [draft, connectionId, found, isTried, refused],
  );

  useEffect(() => {
    if (attempts === 0) return;
    box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [attempts]);

  return {
    draft,
    dispatch,
    faults,
    box,
    attempt() {
      setRefused(undefined);
      const isRight = found.fields.size + found.rows.size + found.elsewhere.length === 0;
      if (isRight) return true;
      setTried(true);
      setAttempts(attempts + 1);
      return false;
    },
    refuse(error) {
      const sent = draft.rows.filter(({ isIn }) => isIn).map(({ apiKeyId }) => apiKeyId);
      const said = [...faultsOf(error)].map(([path, message]) => ({ path, message }));
      setRefused({ draft, connectionId, faults: fieldFaults(said, sent) });
      setAttempts(attempts + 1);
    },
  };
}
