import { useState } from "react";
import { usePools } from "../api/usePools.js";
import { usePoolUsage } from "../quotaShare/usePoolUsage.js";
import { Button } from "../ui/Button.js";
import { ErrorState } from "../ui/ErrorState.js";
import { FormFault } from "../ui/FormFault.js";
import stacked from "../ui/stacked.module.css";
import { ClientRow } from "./ClientRow.js";
import styles from "./TrafficPanel.module.css";
import { TrafficSteps } from "./TrafficSteps.js";
import { useChangeClient, type ClientChange } from "./useChangeClient.js";
import { useResetWindow } from "./useResetWindow.js";
import { useTraffic, type Traffic, type TrafficClient } from "./useTraffic.js";

/** Simulated clients to start and stop, so that a newcomer sees borrowing, strict mode and recovery. The demo's alone. */
export default function TrafficPanel() {
  const { data, error, refetch } = useTraffic();
  return (
    <section className={styles.panel} aria-labelledby="traffic">
      <h2 id="traffic">Try it: simulated clients</h2>
      {data === undefined && error !== null && (
        <ErrorState what="The simulated clients" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <div className={styles.waiting} />}
      {data !== undefined && <Clients traffic={data} />}
    </section>
  );
}

function Clients({ traffic: { clients, connections } }: { readonly traffic: Traffic }) {
  const [chosen, choose] = useState<string>();
  const change = useChangeClient();
  const reset = useResetWindow();
  const running = clients.filter((client) => client.running);
  const { id: connectionId, name } = connections.find(
    ({ id }) => id === (chosen ?? running[0]?.connectionId),
  ) ??
    connections[0] ?? { id: "", name: "" };
  const isStrict = useStrict(connectionId);
  const step = !isStrict ? (running.length === 0 ? 1 : 2) : running.length < 2 ? 2 : 3;
  // One button is the next to press: bob's, whose share is small, then anybody else's, then the provider's.
  const next =
    step === 1
      ? clients.find(({ apiKeyId }) => apiKeyId === "bob")
      : isStrict && step === 2
        ? clients.find((client) => !client.running)
        : undefined;
  if (connections.length === 0 || clients.length === 0)
    return (
      <p className={styles.about}>
        They use the demo keys and the simulated connections of the first start, and none of these are left. A
        new DATA_DIR has them again.
      </p>
    );
  return (
    <>
      <TrafficSteps current={step} poolName={name} />
      <div className={styles.tools}>
        <label className={styles.choice}>
          Pool
          <select
            value={connectionId}
            onChange={({ target }) => {
              choose(target.value);
              change.mutate(
                running.map(({ apiKeyId }) => ({ apiKeyId, running: true, connectionId: target.value })),
              );
            }}
          >
            {connections.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name.slice(0, 80)}
              </option>
            ))}
          </select>
        </label>
        <Button
          look={step === 3 ? "primary" : "plain"}
          busy={reset.isPending}
          onClick={() => reset.mutate(connectionId)}
        >
          Let the provider reset its window
        </Button>
        <span role="status" className={styles.about}>
          {reset.isSuccess && !isStrict && "It did: everybody begins anew."}
        </span>
      </div>
      <div className="table-frame">
        <table className={`table ${stacked.stacked}`} aria-label="Simulated clients">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">State</th>
              <th scope="col">Requests per second</th>
              <th scope="col" className="figure">
                Sent
              </th>
              <th scope="col" className="figure">
                Passed
              </th>
              <th scope="col" className="figure">
                Refused
              </th>
              <th scope="col" className="figure">
                Failed
              </th>
              <th scope="col">Last refusal</th>
              <th scope="col">
                <span className="visually-hidden">Start or stop</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {clients.map((client) => (
              <ClientRow
                key={client.apiKeyId}
                client={client}
                poolName={connections.find(({ id }) => id === client.connectionId)?.name}
                isNext={client === next}
                isBusy={change.isPending && change.variables.some((asked) => startsOrStops(asked, client))}
                onChange={(wanted) =>
                  change.mutateAsync([{ apiKeyId: client.apiKeyId, connectionId, ...wanted }])
                }
              />
            ))}
          </tbody>
        </table>
      </div>
      <FormFault error={change.error ?? reset.error} />
    </>
  );
}

/** A change of the rate alone keeps no click from the button: leaving the field for "Stop" is one. */
function startsOrStops(asked: ClientChange, { apiKeyId, running }: TrafficClient): boolean {
  return asked.apiKeyId === apiKeyId && asked.running !== running;
}

/** Whether shares bind in the pool of a connection now. */
function useStrict(connectionId: string): boolean {
  const { data: pools } = usePools();
  const pool = pools?.find((each) => each.connectionId === connectionId);
  const { data: usage } = usePoolUsage(pool?.id ?? "", { isSeen: pool !== undefined });
  return usage?.dimensions.some(({ mode }) => mode === "strict") === true;
}
