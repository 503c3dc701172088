import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { faultsOf, request } from "../api/request.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { Notice } from "../ui/Notice.js";
import { driverName } from "./driverName.js";
import { RedisAddress, type TypedAddress } from "./RedisAddress.js";
import { StoreTest } from "./StoreTest.js";
import {
  QUOTA_STORE_KEY,
  QUOTA_STORE_PATH,
  type QuotaStoreStatus,
  type StoreDriver,
} from "./useQuotaStore.js";
import styles from "./Section.module.css";

/** Chooses the store that counts. */
export function QuotaStoreForm({ status }: { readonly status: QuotaStoreStatus }) {
  const queries = useQueryClient();
  // Until somebody chooses, it shows what is asked for; from then on what was chosen, whatever is read anew.
  const [chosen, setChosen] = useState<StoreDriver>();
  const [address, setAddress] = useState<TypedAddress>(UNTOUCHED);
  const [takesEffect, setTakesEffect] = useState<Effect>("now");
  const [said, setSaid] = useState<string>();
  const driver = chosen ?? status.driver;
  // An address that is not shown is not sent.
  const redisUrl = driver === "redis" ? addressOf(address) : undefined;
  const body = { driver, ...(redisUrl !== undefined && { redisUrl }) };

  const save = useMutation({
    // An address may hold a password: nothing of it stays here.
    gcTime: 0,
    mutationFn: ({ sent }: Sent) =>
      request<QuotaStoreStatus>(QUOTA_STORE_PATH, { method: "PUT", body: sent }),
    onMutate: () => setSaid(undefined),
    onSuccess(now, { sent, ...form }) {
      const { driver: asked, takesEffect: effect } = sent;
      setSaid(outcome({ asked, before: form.before, now: now.serving, takesEffect: effect }));
      // What was typed and chosen meanwhile stays.
      setChosen((by) => (by === form.chosen ? undefined : by));
      setAddress((by) => (by === form.address ? UNTOUCHED : by));
      setTakesEffect((by) => (by === effect ? "now" : by));
      queries.setQueryData(QUOTA_STORE_KEY, now);
    },
  });
  const faults = faultsOf(save.error);
  return (
    <form
      className={styles.form}
      aria-label="Change the quota store"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const sent = { ...body, takesEffect };
        save.mutate({ sent, chosen, address, before: status.serving }, { onSuccess: () => save.reset() });
      }}
    >
      <Field label="Count in" fault={faults.get("driver")}>
        <select value={driver} onChange={({ target }) => setChosen(target.value as StoreDriver)}>
          <option value="sqlite">SQLite, in the data directory</option>
          <option value="redis">Redis</option>
        </select>
      </Field>
      {driver === "redis" && (
        <RedisAddress
          address={address}
          isSet={status.redisUrlConfigured}
          fault={faults.get("redisUrl")}
          onChange={setAddress}
        />
      )}
      <fieldset className={styles.choices}>
        <legend>It takes effect</legend>
        {EFFECTS.map(({ value, text }) => (
          <label key={value} className={styles.choice}>
            <input
              type="radio"
              name="takes-effect"
              checked={takesEffect === value}
              onChange={() => setTakesEffect(value)}
            />
            {text}
          </label>
        ))}
      </fieldset>
      <FormFault error={save.error} fields={driver === "redis" ? ["driver", "redisUrl"] : ["driver"]} />
      <div className={styles.actions}>
        <Button look="primary" type="submit" busy={save.isPending}>
          Save
        </Button>
        <StoreTest key={JSON.stringify(body)} body={body} />
      </div>
      {said !== undefined && <Notice tone="info">{said}</Notice>}
    </form>
  );
}

type Effect = "now" | "next-start";

/** What is sent, and the form that it was sent from. */
interface Sent {
  readonly sent: {
    readonly driver: StoreDriver;
    readonly redisUrl?: string | null;
    readonly takesEffect: Effect;
  };
  readonly chosen: StoreDriver | undefined;
  readonly address: TypedAddress;
  readonly before: QuotaStoreStatus["serving"];
}

/** Undefined: it stays what it is. */
function addressOf({ typed, forget }: TypedAddress): string | null | undefined {
  if (forget) return null;
  return typed.trim() === "" ? undefined : typed.trim();
}

const UNTOUCHED: TypedAddress = { typed: "", forget: false };

const EFFECTS = [
  { value: "now", text: "now: requests in flight settle, and the live counters go along" },
  { value: "next-start", text: "at the next start: only written down, and nothing is carried over" },
] as const;

/** What came of it. Of what waits for the next start the gateway tells nothing before that. */
function outcome({
  asked,
  before,
  now,
  takesEffect,
}: {
  readonly asked: StoreDriver;
  readonly before: QuotaStoreStatus["serving"];
  readonly now: QuotaStoreStatus["serving"];
  readonly takesEffect: Effect;
}): string {
  if (takesEffect === "next-start")
    return `Written down. The next start counts in ${driverName(asked)}; until then ${driverName(now)} counts.`;
  return now === before
    ? `Saved. ${driverName(now)} counts, as before.`
    : `${driverName(now)} counts from now on. The live counters went along, so nobody’s window began anew.`;
}
