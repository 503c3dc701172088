import { Field } from "../ui/Field.js";
import styles from "./Section.module.css";

/** What somebody does to the address of Redis. */
export interface TypedAddress {
  /** Empty: it stays what it is. */
  readonly typed: string;
  /** Takes away the one that is stored; the environment's counts then, if it has one. */
  readonly forget: boolean;
}

/** Takes an address, and never shows the one that is set: it may hold a password. */
export function RedisAddress({
  address,
  isSet,
  fault,
  onChange,
}: {
  readonly address: TypedAddress;
  readonly isSet: boolean;
  readonly fault: string | undefined;
  readonly onChange: (address: TypedAddress) => void;
}) {
  return (
    <>
      <Field
        label="Redis address"
        fault={fault}
        hint={
          isSet
            ? "An address is set, and is never shown. Leave this empty to keep it."
            : "Such as redis://:password@localhost:6379/0. It is never shown again."
        }
      >
        <input
          type="password"
          autoComplete="new-password"
          spellCheck={false}
          disabled={address.forget}
          value={address.typed}
          onChange={({ target }) => onChange({ typed: target.value, forget: false })}
        />
      </Field>
      {isSet && (
        <label className={styles.choice}>
          <input
            type="checkbox"
            checked={address.forget}
            onChange={({ target }) => onChange({ typed: "", forget: target.checked })}
          />
          <span>
            Forget the address that was set here; <code>QUOTA_STORE_REDIS_URL</code> counts then, if it is set
          </span>
        </label>
      )}
    </>
  );
}
