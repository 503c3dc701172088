import { Modal } from "../ui/Modal.js";
import { SignInForm } from "./SignInForm.js";

/** The session has ended in the middle of something: what is on the page, and what was typed there, waits behind this. */
export function SignInAgain() {
  return (
    <Modal
      title="Sign in again"
      about="Your session has ended. What you typed is still there."
      dismissible={false}
    >
      <SignInForm />
    </Modal>
  );
}
