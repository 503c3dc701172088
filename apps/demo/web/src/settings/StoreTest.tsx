import { useMutation } from "@tanstack/react-query";
import { detailOf, faultsOf, request } from "../api/request.js";
import { Badge } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { wholeText } from "../ui/formats.js";
import { QUOTA_STORE_PATH, type StoreDriver } from "./useQuotaStore.js";
import styles from "./Section.module.css";

/** Whether a store would do, before anybody counts in it. Changes nothing. */
export function StoreTest({
  body,
}: {
  readonly body: { readonly driver: StoreDriver; readonly redisUrl?: string | null };
}) {
  const test = useMutation({
    gcTime: 0,
    mutationFn: () => request<Tested>(`${QUOTA_STORE_PATH}/test`, { method: "POST", body }),
  });
  return (
    <>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        Test the connection
      </Button>
      <span role="status" className={styles.said}>
        {test.isPending && "Asking …"}
        {test.data !== undefined && <Result tested={test.data} />}
        {test.error !== null && <Failed why={faultsOf(test.error).get("redisUrl") ?? detailOf(test.error)} />}
      </span>
    </>
  );
}

type Tested =
  | { readonly works: true; readonly server?: string; readonly tookMs: number }
  | { readonly works: false; readonly reason: string };

function Result({ tested }: { readonly tested: Tested }) {
  if (!tested.works) return <Failed why={tested.reason} />;
  return (
    <>
      <Badge tone="good">works</Badge>{" "}
      {`${tested.server ?? "It"} answered within ${wholeText(Math.max(1, tested.tookMs))} ms.`}
    </>
  );
}

function Failed({ why }: { readonly why: string }) {
  return (
    <>
      <Badge tone="danger">does not work</Badge> {why}
    </>
  );
}
