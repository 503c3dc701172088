import { describePlanOverrides, describePoolDirectory } from "@quota/conformance";
import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { createPostgresPlanOverrides, createPostgresPoolDirectory } from "../src/index.js";
import { scratch } from "./scratch.js";

describeWithPostgres("PostgreSQL", (server) => {
  describePoolDirectory("createPostgresPoolDirectory", async () => {
    const place = await scratch(server);
    return {
      directory: await createPostgresPoolDirectory(await place.open()),
      another: async () => await createPostgresPoolDirectory(await place.open()),
      dispose: () => place.remove(),
    };
  });

  describePlanOverrides("createPostgresPlanOverrides", async () => {
    const place = await scratch(server);
    return {
      overrides: await createPostgresPlanOverrides(await place.open()),
      another: async () => await createPostgresPlanOverrides(await place.open()),
      dispose: () => place.remove(),
    };
  });
});
