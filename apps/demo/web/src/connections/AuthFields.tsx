import { Field } from "../ui/Field.js";
import { Notice } from "../ui/Notice.js";
import type { AuthKind, ConnectionFields } from "./connectionDraft.js";
import { faultUnder } from "./faultUnder.js";
import { HeaderFields } from "./HeaderFields.js";
import styles from "./connections.module.css";

/** How the gateway proves itself to the provider. What it has already is never shown, so it is kept or replaced as a whole. */
export function AuthFields({
  canKeep,
  typed,
  onType,
  faults,
}: {
  readonly canKeep: boolean;
  readonly typed: ConnectionFields;
  readonly onType: (field: keyof ConnectionFields, value: string) => void;
  readonly faults: ReadonlyMap<string, string>;
}) {
  const kinds = KINDS.filter(({ kind }) => canKeep || kind !== "keep");
  const { auth } = typed;
  const text = (field: "header" | "value" | "path" | "command" | "ttlS" | "timeoutS") => ({
    autoComplete: field === "value" ? "new-password" : "off",
    spellCheck: false,
    value: typed[field],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onType(field, target.value),
  });
  return (
    <fieldset className={styles.auth}>
      <legend>Credentials</legend>
      <div className={styles.kinds} role="radiogroup" aria-label="Kind of credentials">
        {kinds.map(({ kind, label }) => (
          <label key={kind}>
            <input
              type="radio"
              name="auth-kind"
              checked={auth === kind}
              onChange={() => onType("auth", kind)}
            />{" "}
            {label}
          </label>
        ))}
      </div>
      <p className={styles.muted}>{kinds.find(({ kind }) => kind === auth)?.about}</p>
      {auth === "value" && (
        <Field
          label="Secret"
          hint="It is stored in a file of its own and never shown again."
          fault={faults.get("auth.value")}
        >
          <input type="password" {...text("value")} />
        </Field>
      )}
      {auth === "file" && (
        <>
          <Danger>read any file that the gateway may read</Danger>
          <Field
            label="File"
            hint="On the gateway’s machine, such as /run/secrets/token. One line; read again whenever it changes."
            fault={faults.get("auth.path")}
          >
            <input {...text("path")} />
          </Field>
        </>
      )}
      {auth === "command" && (
        <>
          <Danger>run any command as its own user</Danger>
          <Field
            label="Command"
            hint="The program, then one argument a line; run without a shell. It prints the secret, or JSON with token and expiresAt."
            fault={faultUnder(faults, "auth.command")}
          >
            <textarea rows={3} {...text("command")} />
          </Field>
          <div className={styles.pair}>
            <Field
              label="Kept for, in seconds"
              hint="60 if empty; expiresAt goes before it."
              fault={faults.get("auth.ttlS")}
            >
              <input type="number" min={0} {...text("ttlS")} />
            </Field>
            <Field label="Given up after, in seconds" hint="30 if empty." fault={faults.get("auth.timeoutS")}>
              <input type="number" min={1} {...text("timeoutS")} />
            </Field>
          </div>
        </>
      )}
      {auth !== "keep" && auth !== "none" && (
        <>
          <Field
            label="Header of the secret"
            hint="authorization if empty (with Bearer before it), x-api-key for the provider anthropic."
            fault={faults.get("auth.header")}
          >
            <input {...text("header")} />
          </Field>
          <HeaderFields typed={typed} onType={(headers) => onType("headers", headers)} faults={faults} />
        </>
      )}
    </fieldset>
  );
}

function Danger({ children }: { readonly children: string }) {
  return (
    <Notice tone="warning">
      Whoever has the admin token can make the gateway {children}. Treat it like a login on that machine.
    </Notice>
  );
}

const KINDS: readonly { readonly kind: AuthKind; readonly label: string; readonly about: string }[] = [
  {
    kind: "keep",
    label: "Keep",
    about:
      "The credentials stay as they are; they are never shown. Choose another kind to replace all of them.",
  },
  { kind: "value", label: "Secret", about: "An API key or a token that does not change." },
  { kind: "file", label: "File", about: "For a token that a login writes into a file." },
  { kind: "command", label: "Command", about: "For a token that a program prints." },
  { kind: "none", label: "None", about: "The provider asks for none, as the built-in simulator." },
];
