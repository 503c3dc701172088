import { Button } from "../ui/Button.js";
import { typedHeaders, type ConnectionFields, type TypedHeader } from "./connectionDraft.js";
import { faultUnder } from "./faultUnder.js";
import styles from "./connections.module.css";

/** Further headers that the account wants to see. Their values are as secret as the secret. */
export function HeaderFields({
  typed,
  onType,
  faults,
}: {
  readonly typed: ConnectionFields;
  readonly onType: (headers: string) => void;
  readonly faults: ReadonlyMap<string, string>;
}) {
  const headers = typedHeaders(typed);
  const put = (changed: readonly TypedHeader[]): void => onType(JSON.stringify(changed));
  const change = (at: number, part: Partial<TypedHeader>): void =>
    put(headers.map((header, i) => (i === at ? { ...header, ...part } : header)));
  const fault = faultUnder(faults, "auth.headers");
  return (
    <div className={styles.headers} role="group" aria-label="Further headers">
      <div>
        <b>Further headers</b>
        <p className={styles.muted}>
          Such as chatgpt-account-id for a Codex seat. What a client sends under these names is dropped.
        </p>
      </div>
      {headers.map(({ name, value }, i) => (
        <div key={i} className={styles.header}>
          <input
            aria-label={`Name of header ${i + 1}`}
            placeholder="Name"
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={({ target }) => change(i, { name: target.value })}
          />
          <input
            type="password"
            aria-label={`Value of header ${i + 1}`}
            placeholder="Value"
            autoComplete="new-password"
            value={value}
            onChange={({ target }) => change(i, { value: target.value })}
          />
          <Button look="quiet" onClick={() => put(headers.filter((_, at) => at !== i))}>
            Remove
          </Button>
        </div>
      ))}
      {fault !== undefined && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
      <div>
        <Button onClick={() => put([...headers, { name: "", value: "" }])}>Add a header</Button>
      </div>
    </div>
  );
}
