import { useMutation, useQueryClient } from "@tanstack/react-query";
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
  /** All that was typed is written; what was typed while it was written, for one, is not. */
  readonly onSaved?: () => void;
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

export interface EditOfThing<Thing, Fields extends Draft> extends Edit<Fields> {
  /** What the edit is based on: after a stale one, as somebody else has made it. */
  readonly thing: Thing;
}

/** A form that changes one thing. Where somebody else was faster nothing is written, the form says what is different, keeps what was typed, and the next save goes over it. */
export function useEdit<Thing extends { readonly version: number }, Fields extends Draft>({
  thing: known,
  path,
  member,
  fieldsOf,
  changeOf,
  onSaved,
}: EditOf<Thing, Fields>): EditOfThing<Thing, Fields> {
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed<Thing, Fields>>();
  // What was answered to a save is known before it is read anew.
  const [answered, setAnswered] = useState<Thing>();
  const newest = answered !== undefined && answered.version > known.version ? answered : known;
  const untouched = { thing: newest, draft: fieldsOf(newest), changed: undefined };
  const { thing, draft, changed } = typed ?? untouched;

  const saving = useMutation({
    mutationFn: (sent: Sent<Thing, Fields>) =>
      request<Thing>(path, {
        method: "PATCH",
        body: changeOf(sent.draft, sent.thing),
        ifVersion: sent.thing.version,
      }),
    onSuccess(answer, sent) {
      const now = fieldsOf(answer);
      const over = (typedByNow: Fields) => rebaseDraft({ base: sent.draft, draft: typedByNow, now }).draft;
      setAnswered(answer);
      setTyped((before) => {
        if (before === undefined || !differ(over(before.draft), now)) return undefined;
        return { thing: answer, draft: over(before.draft), changed: undefined };
      });
      void queries.invalidateQueries();
      // A mutation has the functions of the newest drawing: this draft is what is typed by now.
      if (!differ(over(draft), now)) onSaved?.();
    },
    onError(error) {
      const now = fresherOf(error, member) as Thing | undefined;
      if (now === undefined) return;
      setTyped(
        (before) =>
          before && {
            thing: now,
            ...rebaseDraft({ base: fieldsOf(before.thing), draft: before.draft, now: fieldsOf(now) }),
          },
      );
    },
  });

  return {
    thing,
    draft,
    set(field, value) {
      setTyped((before = untouched) => ({
        ...before,
        draft: { ...before.draft, [field]: value },
      }));
    },
    isTyped: differ(draft, fieldsOf(thing)),
    save: () => saving.mutate({ thing, draft }),
    discard() {
      setTyped(undefined);
      saving.reset();
    },
    isSaving: saving.isPending,
    error: fresherOf(saving.error, member) === undefined ? saving.error : null,
    changed,
  };
}

interface Sent<Thing, Fields> {
  /** What the edit is based on. */
  readonly thing: Thing;
  readonly draft: Fields;
}

interface Typed<Thing, Fields> extends Sent<Thing, Fields> {
  readonly changed: readonly ChangedField[] | undefined;
}

/** The thing as somebody else has made it, which the answer to a stale edit has; undefined: there is nothing to compare with. */
function fresherOf(error: unknown, member: string): unknown {
  return isStale(error) ? error.problem.members?.[member] : undefined;
}

function differ(draft: Draft, from: Draft): boolean {
  return Object.keys(from).some((field) => draft[field] !== from[field]);
}
