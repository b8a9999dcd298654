import type { Store } from "../../../core/store/store.ts";
import type { WebThreadStore } from "./thread-store.ts";

/** The page's threads in the program's database, which may still be opening while the port answers probes. */
export function storedThreads(opening: Promise<Store>): WebThreadStore {
  return {
    threads: async (limit) => (await opening).webThreads.threads(limit),
    messages: async (threadId, before, limit) => (await opening).webThreads.messages(threadId, before, limit),
    since: async (seq, limit) => (await opening).webThreads.since(seq, limit),
    lastSeq: async () => (await opening).webThreads.lastSeq(),
    message: async (id) => (await opening).webThreads.message(id),
    messageByKey: async (key) => (await opening).webThreads.messageByKey(key),
    fromPeople: async (at, limit) => (await opening).webThreads.fromPeople(at, limit),
    file: async (id) => (await opening).webThreads.file(id),
    insert: async (message, opens) => (await opening).transaction((tx) => tx.webThreads.insert(message, opens)),
    update: async (id, body) => (await opening).transaction((tx) => tx.webThreads.update(id, body)),
    putFile: async (file) => (await opening).transaction((tx) => tx.webThreads.putFile(file)),
  };
}
