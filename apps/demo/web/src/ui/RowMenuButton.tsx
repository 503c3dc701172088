import { Menu } from "@base-ui/react/menu";
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
  return (
    <Menu.Trigger
      handle={menu}
      payload={row}
      className={styles.button}
      aria-label={label}
      tabIndex={tabIndex}
    >
      <span aria-hidden="true">⋯</span>
    </Menu.Trigger>
  );
}
