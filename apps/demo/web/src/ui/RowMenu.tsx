import { Menu } from "@base-ui/react/menu";
import styles from "./RowMenu.module.css";

/** What joins the buttons of many rows with their one menu. Made by `Menu.createHandle`. */
export type RowMenuHandle<Row> = Menu.Handle<Row>;

export interface RowMenuItem {
  readonly name: string;
  readonly onSelect: () => void;
  /** It takes something away. */
  readonly isDanger?: boolean;
}

/** What can be done with a row: one menu for all rows of a table, opened by their buttons. */
export function RowMenu<Row>({
  menu,
  itemsOf,
}: {
  readonly menu: RowMenuHandle<Row>;
  readonly itemsOf: (row: Row) => readonly RowMenuItem[];
}) {
  return (
    <Menu.Root handle={menu}>
      {({ payload: row }) => (
        <Menu.Portal>
          <Menu.Positioner className={styles.positioner} align="end" sideOffset={4}>
            <Menu.Popup className={styles.popup}>
              {row !== undefined &&
                itemsOf(row).map(({ name, onSelect, isDanger }) => (
                  <Menu.Item
                    key={name}
                    className={isDanger === true ? `${styles.item} ${styles.danger}` : styles.item}
                    onClick={onSelect}
                  >
                    {name}
                  </Menu.Item>
                ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      )}
    </Menu.Root>
  );
}
