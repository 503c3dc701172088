import { Dialog } from "@base-ui/react/dialog";
import { useRef, type ReactNode } from "react";
import styles from "./Modal.module.css";

export interface ModalProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly about?: ReactNode;
  /** Without it there is no way out but what is inside. */
  readonly onClose?: () => void;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
  /** Makes it a form: Enter submits it. */
  readonly onSubmit?: () => void;
  /** False while something typed would be lost by a click beside it or by Escape. */
  readonly dismissible?: boolean;
}

/** A dialog in front of the page: it holds the focus, and gives it back when it closes. */
export function Modal(props: ModalProps) {
  const { title, about, onClose, actions, children, onSubmit, dismissible = true } = props;
  const popup = useRef<HTMLDivElement>(null);
  const body = (
    <>
      <div className={styles.body}>{children}</div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </>
  );
  return (
    <Dialog.Root
      open
      disablePointerDismissal={!dismissible}
      onOpenChange={(open, { reason }) => {
        if (!open && (dismissible || reason !== "escape-key")) onClose?.();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup
          className={styles.popup}
          ref={popup}
          initialFocus={(by) => by === "touch" || firstToUse(popup.current)}
        >
          <div className={styles.head}>
            <Dialog.Title className={styles.title}>{title}</Dialog.Title>
            {onClose !== undefined && (
              <Dialog.Close className={styles.close} aria-label="Close">
                ✕
              </Dialog.Close>
            )}
            {about !== undefined && <Dialog.Description className={styles.about}>{about}</Dialog.Description>}
          </div>
          {onSubmit === undefined ? (
            body
          ) : (
            <form
              noValidate
              className={styles.form}
              onSubmit={(event) => {
                event.preventDefault();
                onSubmit();
              }}
            >
              {body}
            </form>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What one came for: the first field, else the first button below, which undoes nothing; not the ✕. */
function firstToUse(popup: HTMLElement | null): HTMLElement | true {
  const field = popup?.querySelector<HTMLElement>("input:not([disabled]), select, textarea");
  return field ?? popup?.querySelector<HTMLElement>(`.${styles.actions} button`) ?? true;
}
