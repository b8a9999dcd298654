import type { FeatureHost } from "../../feature-host.ts";
import { accountWrites } from "./store.ts";

export type Write = <T>(work: (accounts: ReturnType<typeof accountWrites>) => Promise<T>) => Promise<T>;

/** Serialises changes to accounts across all processes. */
export function accountWriter(store: FeatureHost["store"]): Write {
  return (work) =>
    store.transaction(async (tx) => {
      await tx.takeAdvisoryLock("logins");
      return work(tx.tables(accountWrites));
    });
}
