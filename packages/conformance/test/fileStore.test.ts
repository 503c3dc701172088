import { describeUsageStore } from "@quota/conformance";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileUsageStore } from "./fileStore.js";

describeUsageStore("the file store of the README", async () => {
  const folder = await mkdtemp(join(tmpdir(), "quota-file-store-"));
  const store = createFileUsageStore(join(folder, "usage.json"));
  return {
    store,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
