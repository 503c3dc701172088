import styles from "./Name.module.css";

/**
 * What somebody called something, as plain text: isolated from the direction of the text around it, and cut where it is long. The
 * whole of it is in the title.
 */
export function Name({ children }: { readonly children: string }) {
  const shown = children.length > LONGEST ? `${children.slice(0, LONGEST)}…` : children;
  return (
    <bdi className={styles.name} title={children.length > SHORT ? children.slice(0, 1000) : undefined}>
      {shown}
    </bdi>
  );
}

/** In UTF-16 units; style cuts at the width of a line before that. */
const LONGEST = 160;
const SHORT = 24;
