import type { Cluster, Redis } from "ioredis";

/** A client of ioredis, for one server or for a cluster. Whoever made it closes it. */
export type RedisClient = Redis | Cluster;
