import { Menu } from "@base-ui/react/menu";
import { useId, useState } from "react";
import { flushSync } from "react-dom";
import type { RowMenuHandle } from "./RowMenu.js";
import styles from "./RowMenu.module.css";

/** Opens the {@link RowMenuHandle} of a table for one of its rows. */
export function RowMenuButton<Row>({
  menu,
  row,
  label,
  tabIndex,
}: {
  readonly menu: RowMenuHandle<Row>;
  readonly row: Row;
  /** For screen readers: whose menu it is. */
  readonly label: string;
  readonly tabIndex?: number;
}) {
  const id = useId();
  const [isUsed, setUsed] = useState(false);
  const dots = <span aria-hidden="true">⋯</span>;
  // A trigger is dear, and a table has hundreds of rows: one becomes a trigger when its menu is first asked for.
  if (!isUsed)
    return (
      <button
        type="button"
        id={id}
        className={styles.button}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={false}
        tabIndex={tabIndex}
        onClick={() => {
          flushSync(() => setUsed(true));
          // The focus comes back to where it was when the menu opened.
          document.getElementById(id)?.focus();
          menu.open(id);
        }}
      >
        {dots}
      </button>
    );
  return (
    <Menu.Trigger
      id={id}
      handle={menu}
      payload={row}
      className={styles.button}
      aria-label={label}
      tabIndex={tabIndex}
    >
      {dots}
    </Menu.Trigger>
  );
}
