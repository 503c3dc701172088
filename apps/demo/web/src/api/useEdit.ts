import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { rebaseDraft, type ChangedField, type Draft } from "./rebaseDraft.js";
import { isStale, request } from "./request.js";

export interface EditOf<Thing, Fields extends Draft> {
  /** As it is known. Once something is typed, what is read later changes nothing here. */
  readonly thing: Thing;
  readonly path: string;
  /** Its name in the answer to a stale edit. */
  readonly member: string;
  readonly fieldsOf: (thing: Thing) => Fields;
  /** What is asked for: what differs from the thing alone, so that a field nobody touched is not written. */
  readonly changeOf: (draft: Fields, thing: Thing) => unknown;
  /** The form shows what was typed until this is done. */
  readonly onSaved: (answer: Thing) => void | Promise<void>;
}

export interface Edit<Fields extends Draft> {
  readonly draft: Fields;
  set(field: keyof Fields & string, value: string): void;
  readonly isTyped: boolean;
  save(): void;
  /** Forgets what was typed. */
  discard(): void;
  readonly isSaving: boolean;
  /** Why nothing was written; null while the reason is that somebody else was faster, which `changed` tells. */
  readonly error: Error | null;
  /** What somebody else has changed meanwhile; undefined: nobody has. */
  readonly changed: readonly ChangedField[] | undefined;
}

/** A form that changes one thing. Where somebody else was faster nothing is written, the form says what is different, keeps what was typed, and the next save goes over it. */
export function useEdit<Thing extends { readonly version: number }, Fields extends Draft>({
  thing: known,
  path,
  member,
  fieldsOf,
  changeOf,
  onSaved,
}: EditOf<Thing, Fields>): Edit<Fields> {
  const [typed, setTyped] = useState<Typed<Thing, Fields>>();
  const { thing, draft, changed } = typed ?? { thing: known, draft: fieldsOf(known), changed: undefined };
  const base = fieldsOf(thing);

  const saving = useMutation({
    mutationFn: () =>
      request<Thing>(path, { method: "PATCH", body: changeOf(draft, thing), ifVersion: thing.version }),
    async onSuccess(answer) {
      await onSaved(answer);
      setTyped(undefined);
    },
    async onError(error) {
      if (!isStale(error)) return;
      const now = (error.problem.members?.[member] as Thing | undefined) ?? (await request<Thing>(path));
      setTyped({ thing: now, ...rebaseDraft({ base, draft, now: fieldsOf(now) }) });
    },
  });

  return {
    draft,
    set(field, value) {
      setTyped((before = { thing: known, draft: fieldsOf(known), changed: undefined }) => ({
        ...before,
        draft: { ...before.draft, [field]: value },
      }));
    },
    isTyped: Object.keys(base).some((field) => draft[field] !== base[field]),
    save: () => saving.mutate(),
    discard() {
      setTyped(undefined);
      saving.reset();
    },
    isSaving: saving.isPending,
    error: isStale(saving.error) ? null : saving.error,
    changed,
  };
}

interface Typed<Thing, Fields> {
  /** What the edit is based on. */
  readonly thing: Thing;
  readonly draft: Fields;
  readonly changed: readonly ChangedField[] | undefined;
}
