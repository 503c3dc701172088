import type { PoolDirectory } from "@quota/engine";
import type { Logger } from "pino";
import type { ApiKeys } from "../apiKeys.js";
import type { Connections } from "../connections.js";
import { DEMO_KEYS, SIMULATED_ACCOUNTS } from "../firstStart.js";
import type { ProviderSimulator } from "../simulator/createProviderSimulator.js";
import { createClient, type Client, type ClientCounts } from "./createClient.js";
import { createFrontDoor } from "./createFrontDoor.js";
import { drivenAccount, type DrivenAccount } from "./drivenAccount.js";

/** The simulated clients of the demo, one for each demo key, which ask this gateway as any client does. */
export interface Traffic {
  state(): Promise<TrafficState>;
  /** @returns the client as it is now; undefined where no demo key has this id, or it is good for nothing (any more). */
  change(apiKeyId: string, change: ClientChange): TrafficClient | undefined;
  /** Which connections may be driven: those of the first start that are still on the simulator. */
  connectionIds(): readonly string[];
  /** The simulated provider gives all windows of the account back before their time, and tells it at once. */
  reset(connectionId: string): Promise<void>;
  /** Stops all clients, for good. Resolves when nothing of theirs is under way. */
  close(): Promise<void>;
}

export interface TrafficState {
  readonly clients: readonly TrafficClient[];
  /** `name` is the pool's, where there is one. */
  readonly connections: readonly { readonly id: string; readonly name: string }[];
}

export interface TrafficClient extends ClientCounts {
  readonly apiKeyId: string;
  readonly connectionId: string;
  readonly perSecond: number;
  readonly running: boolean;
}

export interface ClientChange {
  readonly running: boolean;
  readonly perSecond?: number | undefined;
  /** One of {@link Traffic.connectionIds}. */
  readonly connectionId?: string | undefined;
}

/** Half of 1500 requests are gone within 20 seconds. */
const USUAL_PER_SECOND = 40;
const STREAM_EVERY = 8;

/** For a gateway that nobody but this machine reaches: it asks with the demo keys, whose secrets are public. */
export function createTraffic({
  gatewayUrl,
  simulator,
  connections,
  keys,
  pools,
  log,
}: {
  readonly gatewayUrl: () => string;
  readonly simulator: Pick<ProviderSimulator, "account">;
  readonly connections: Pick<Connections, "list" | "authOf">;
  readonly keys: Pick<ApiKeys, "ofSecret">;
  readonly pools: Pick<PoolDirectory, "ofConnection">;
  readonly log: Logger;
}): Traffic {
  const door = createFrontDoor({ gatewayUrl, log });
  let closed = false;
  const accountOf = (id: string): DrivenAccount | undefined => drivenAccount(id, connections);
  const connectionIds = (): readonly string[] =>
    SIMULATED_ACCOUNTS.map(({ connection }) => connection.id).filter((id) => accountOf(id) !== undefined);
  const mayUse = ({ secret }: { readonly secret: string }): boolean => {
    const key = keys.ofSecret(secret);
    return key !== undefined && key.loopbackOnly && !key.disabled;
  };

  const driven = new Map<string, Driven>(
    DEMO_KEYS.map(({ id, secret }) => {
      const wish: Wish = {
        perSecond: USUAL_PER_SECOND,
        connectionId: SIMULATED_ACCOUNTS[0]!.connection.id,
      };
      const client = createClient({
        toAsk: () => (mayUse({ secret }) ? accountOf(wish.connectionId) : undefined),
        ask: (account, serial, signal) =>
          door.ask({ account, secret, stream: serial % STREAM_EVERY === 0, signal }),
      });
      return [id, { id, secret, wish, client }];
    }),
  );

  /** A provider that tells nothing of its windows could not tell that it resets them, either. */
  function letTell({ name, tells }: DrivenAccount): void {
    simulator.account(name).configure(tells);
  }

  async function hear(connectionId: string): Promise<void> {
    const asking = DEMO_KEYS.find(mayUse);
    if (asking !== undefined) await door.listModels({ connectionId, secret: asking.secret });
  }

  for (const { name, keeps } of connectionIds().map((id) => accountOf(id)!))
    simulator.account(name).configure(keeps);

  return {
    async state() {
      return {
        clients: [...driven.values()].filter(mayUse).map(shown),
        connections: await Promise.all(
          connectionIds().map(async (id) => ({ id, name: (await pools.ofConnection(id))?.name ?? id })),
        ),
      };
    },
    change(apiKeyId, { running, perSecond, connectionId }) {
      const found = driven.get(apiKeyId);
      if (found === undefined || !mayUse(found)) return undefined;
      const { wish, client } = found;
      wish.perSecond = perSecond ?? wish.perSecond;
      wish.connectionId = connectionId ?? wish.connectionId;
      const account = running && !closed ? accountOf(wish.connectionId) : undefined;
      if (account === undefined) client.stop();
      else {
        letTell(account);
        client.start(wish.perSecond);
      }
      return shown(found);
    },
    connectionIds,
    async reset(connectionId) {
      const account = accountOf(connectionId);
      if (account === undefined) return;
      letTell(account);
      // How full its windows are must have been heard once: a fall is what shows that they began anew.
      await hear(connectionId);
      simulator.account(account.name).resetEarly();
      // A reading counts where it is newer than the last one, by the millisecond; the second of these is.
      await hear(connectionId);
      await hear(connectionId);
    },
    async close() {
      closed = true;
      const clients = [...driven.values()].map(({ client }) => client);
      for (const client of clients) client.stop();
      await Promise.all(clients.map((client) => client.idle()));
      await door.close();
    },
  };
}

interface Wish {
  perSecond: number;
  connectionId: string;
}

interface Driven {
  readonly id: string;
  readonly secret: string;
  readonly wish: Wish;
  readonly client: Client;
}

function shown({ id, wish, client }: Driven): TrafficClient {
  return { apiKeyId: id, ...wish, running: client.isRunning(), ...client.counts() };
}
