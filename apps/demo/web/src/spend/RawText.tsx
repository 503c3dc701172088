import styles from "./RawText.module.css";

/** Something that cannot be read, as it was kept: opened when it is asked for, and cut where it is long. */
export function RawText({ raw }: { readonly raw: string }) {
  if (raw === "") return <p className={styles.cut}>It is empty.</p>;
  return (
    <details className={styles.raw}>
      <summary>As it was kept</summary>
      <pre>
        <bdi>{raw.slice(0, LONGEST)}</bdi>
      </pre>
      {raw.length > LONGEST && <p className={styles.cut}>cut here; the API has the whole of it</p>}
    </details>
  );
}

const LONGEST = 4_000;
