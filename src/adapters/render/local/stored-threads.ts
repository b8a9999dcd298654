import type { PlatformName } from "../../../core/platform/thread.ts";
import type { Store, StoreTransaction } from "../../../core/store/store.ts";
import type { SecretMasking } from "../../../core/text/secret-masking.ts";
import type { LocalThreadStore } from "./thread-store.ts";

/**
 * A platform's threads in the program's database, which may still be opening while the port already answers probes. The
 * program's own tokens and keys are masked before anything is stored. `isShared`: other processes write, too.
 */
export function storedThreads(
  opening: Promise<Store>,
  { platform, isShared }: { readonly platform: PlatformName; readonly isShared: boolean },
  { hide, hideIn, hideInBytes }: SecretMasking,
): LocalThreadStore {
  /** Writes take turns if the database is shared, so that a number becomes visible only after all lower ones. */
  const numbering = async <T>(work: (threads: StoreTransaction["webThreads"]) => Promise<T>): Promise<T> =>
    (await opening).transaction(async (tx) => {
      if (isShared) await tx.takeAdvisoryLock("threads");
      return work(tx.webThreads);
    });
  return {
    threads: async (limit) => (await opening).webThreads.threads(platform, limit),
    messages: async (threadId, before, limit) => (await opening).webThreads.messages(threadId, before, limit),
    lastSeq: async () => (await opening).webThreads.lastSeq(),
    message: async (id) => (await opening).webThreads.message(id),
    messageByKey: async (key) => (await opening).webThreads.messageByKey(key),
    fromPeople: async (at, limit) => (await opening).webThreads.fromPeople(platform, at, limit),
    file: async (id) => (await opening).webThreads.file(id),
    changes: async (seq, limit) => (await opening).webThreads.changes(platform, seq, limit),
    insert: (message, opens) =>
      numbering((threads) => threads.insert(hideIn(message), opens === null ? null : { ...hideIn(opens), platform })),
    update: (id, bodyOf) => numbering((threads) => threads.update(id, (message) => hide(bodyOf(message)))),
    putFile: async (file) =>
      (await opening).transaction((tx) => tx.webThreads.putFile({ ...file, data: hideInBytes(file.data) })),
  };
}
