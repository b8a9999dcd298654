import type { PlatformName } from "../../../core/protocol/platform.ts";
import type { Store } from "../../../core/store/store.ts";
import type { SecretMasking } from "../../../core/text/secret-masking.ts";
import type { LocalThreadStore } from "./thread-store.ts";

/**
 * A platform's threads in the program's database, which may still be opening while the port answers probes. What is stored
 * is without the program's own tokens and keys.
 */
export function storedThreads(
  opening: Promise<Store>,
  platform: PlatformName,
  { hide, hideIn, hideInBytes }: SecretMasking,
): LocalThreadStore {
  return {
    threads: async (limit) => (await opening).webThreads.threads(platform, limit),
    messages: async (threadId, before, limit) => (await opening).webThreads.messages(threadId, before, limit),
    since: async (seq, limit) => (await opening).webThreads.since(platform, seq, limit),
    lastSeq: async () => (await opening).webThreads.lastSeq(),
    message: async (id) => (await opening).webThreads.message(id),
    messageByKey: async (key) => (await opening).webThreads.messageByKey(key),
    fromPeople: async (at, limit) => (await opening).webThreads.fromPeople(platform, at, limit),
    file: async (id) => (await opening).webThreads.file(id),
    insert: async (message, opens) =>
      (await opening).transaction((tx) =>
        tx.webThreads.insert(hideIn(message), opens === null ? null : { ...hideIn(opens), platform }),
      ),
    update: async (id, body) => (await opening).transaction((tx) => tx.webThreads.update(id, hide(body))),
    putFile: async (file) =>
      (await opening).transaction((tx) => tx.webThreads.putFile({ ...file, data: hideInBytes(file.data) })),
  };
}
