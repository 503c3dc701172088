import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import styles from "./Modal.module.css";

export interface ModalProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly about?: ReactNode;
  readonly onClose: () => void;
  /** Buttons, the main one last. */
  readonly actions: ReactNode;
  readonly children?: ReactNode;
  /** Makes it a form: Enter submits it. */
  readonly onSubmit?: () => void;
  /** False while something typed would be lost by a click beside it or by Escape. */
  readonly dismissible?: boolean;
}

/** A dialog in front of the page: it holds the focus, and gives it back when it closes. */
export function Modal(props: ModalProps) {
  const { title, about, onClose, actions, children, onSubmit, dismissible = true } = props;
  const body = (
    <>
      <div className={styles.body}>{children}</div>
      <div className={styles.actions}>{actions}</div>
    </>
  );
  return (
    <Dialog.Root
      open
      disablePointerDismissal={!dismissible}
      onOpenChange={(open, { reason }) => {
        if (!open && (dismissible || reason !== "escape-key")) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <div className={styles.head}>
            <Dialog.Title className={styles.title}>{title}</Dialog.Title>
            <Dialog.Close className={styles.close} aria-label="Close">
              ✕
            </Dialog.Close>
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
