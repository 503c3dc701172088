import { ErrorState } from "../ui/ErrorState.js";
import { SharingForm } from "./SharingForm.js";
import { SHARING_WORDS } from "./sharingWords.js";
import { useSharing } from "./useSharing.js";
import styles from "./Section.module.css";

/** The numbers that hold for every pool, each with a form of its own. */
export function SharingSection() {
  const { data: sharing, error, refetch } = useSharing();
  return (
    <section className={styles.section} aria-labelledby="sharing">
      <h2 id="sharing">Sharing</h2>
      <p className={styles.about}>
        In force at once, and within a second in other gateways on the same data directory.
      </p>
      {sharing === undefined
        ? error !== null && (
            <ErrorState what="The settings of sharing" error={error} onRetry={() => void refetch()} />
          )
        : SHARING_WORDS.map((words) => (
            <SharingForm key={words.name} words={words} inForce={sharing[words.name]} />
          ))}
    </section>
  );
}
