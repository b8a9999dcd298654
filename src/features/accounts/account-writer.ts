import type { FeatureHost } from "../../feature-host.ts";
import { accountWrites } from "./store.ts";

export type Write = <T>(work: (accounts: ReturnType<typeof accountWrites>) => Promise<T>) => Promise<T>;

/** `isShared`: other processes write, too; each in its turn. */
export function accountWriter(store: FeatureHost["store"], isShared = false): Write {
  return (work) =>
    store.transaction(async (tx) => {
      if (isShared) await tx.takeTurn("logins");
      return work(tx.tables(accountWrites));
    });
}
