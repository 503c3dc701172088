import { useKeyOrdinals } from "../api/useKeyOrdinals.js";
import { KeySwatch } from "./KeySwatch.js";
import { Name } from "./Name.js";
import styles from "./KeyName.module.css";

/** A key's name beside its colour. */
export function KeyName({ id }: { readonly id: string }) {
  const ordinal = useKeyOrdinals().get(id);
  return (
    <span className={styles.key}>
      <KeySwatch ordinal={ordinal} />
      <Name>{id}</Name>
    </span>
  );
}
