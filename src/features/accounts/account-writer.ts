import type { FeatureHost } from "../../feature-host.ts";
import { accountWrites } from "./store.ts";

export type Write = <T>(work: (accounts: ReturnType<typeof accountWrites>) => Promise<T>) => Promise<T>;

/** One change at a time, whichever process makes it. */
export function accountWriter(store: FeatureHost["store"]): Write {
  return (work) =>
    store.transaction(async (tx) => {
      await tx.takeTurn("logins");
      return work(tx.tables(accountWrites));
    });
}
