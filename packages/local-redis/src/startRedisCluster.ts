import { freePort } from "@quota/local-programs";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedisServer, type RedisServer } from "./startRedisServer.js";

/** Three primaries that share the slots. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

/** How many slots a cluster has. */
const SLOTS = 16_384;

/**
 * Starts a cluster of three primaries on loopback, without replicas. It ends with this process.
 *
 * @example
 * const cluster = await startRedisCluster();
 * const redis = new Cluster(cluster.ports.map((port) => ({ host: "127.0.0.1", port })));
 */
export async function startRedisCluster(
  options: { readonly program?: string | undefined } = {},
): Promise<RedisCluster> {
  const nodes: RedisServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    // The bus is 10 000 above the port unless it is told otherwise, which may be past the last one.
    const buses = [await freePort(), await freePort(), await freePort()].map(String);
    for (const bus of buses)
      nodes.push(
        await startRedisServer({
          program: options.program,
          settings: ["--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "5000"],
        }),
      );
    const [first] = nodes as [RedisServer, ...RedisServer[]];
    for (const [i, node] of nodes.entries()) {
      const from = Math.floor((i * SLOTS) / 3);
      const to = Math.floor(((i + 1) * SLOTS) / 3);
      const slots = Array.from({ length: to - from }, (_, j) => String(from + j));
      await node.ask("CLUSTER", "ADDSLOTS", ...slots);
      await node.ask("CLUSTER", "SET-CONFIG-EPOCH", String(i + 1));
      if (node !== first) await node.ask("CLUSTER", "MEET", "127.0.0.1", String(first.port), buses[0]!);
    }
    await agreeing(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, ports: nodes.map(({ port }) => port), stop };
}

async function agreeing(nodes: readonly RedisServer[]): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  for (;;) {
    const told = await Promise.all(nodes.map((node) => node.ask("CLUSTER", "INFO")));
    if (told.every((text) => text.includes("cluster_state:ok") && text.includes("cluster_known_nodes:3")))
      return;
    if (performance.now() > giveUpAt)
      throw new Error(`The cluster does not come together: ${told.join("\n")}`);
    await sleep(50);
  }
}
