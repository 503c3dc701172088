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
  const [takesEffect, setTakesEffect] = useState<"now" | "next-start">("now");
  const [said, setSaid] = useState<string>();
  const driver = chosen ?? status.driver;
  const redisUrl = address.forget ? null : address.typed.trim() === "" ? undefined : address.typed.trim();
  const body = { driver, ...(redisUrl !== undefined && { redisUrl }) };

  const save = useMutation({
    // An address may hold a password: nothing of it stays here.
    gcTime: 0,
    mutationFn: () =>
      request<QuotaStoreStatus>(QUOTA_STORE_PATH, { method: "PUT", body: { ...body, takesEffect } }),
    onMutate: () => setSaid(undefined),
    onSuccess(now) {
      setSaid(outcome({ asked: driver, before: status.serving, now: now.serving, takesEffect }));
      setChosen(undefined);
      setAddress(UNTOUCHED);
      setTakesEffect("now");
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
        save.mutate();
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
      {faults.size === 0 && <FormFault error={save.error} />}
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
  readonly takesEffect: "now" | "next-start";
}): string {
  if (takesEffect === "next-start")
    return `Written down. The next start counts in ${driverName(asked)}; until then ${driverName(now)} counts.`;
  return now === before
    ? `Saved. ${driverName(now)} counts, as before.`
    : `${driverName(now)} counts from now on. The live counters went along, so nobody’s window began anew.`;
}
