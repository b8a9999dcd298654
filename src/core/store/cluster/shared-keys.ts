import { hash } from "node:crypto";
import { z } from "zod";
import type { Cluster } from "../../cluster.ts";
import type { Log } from "../../protocol/log.ts";
import { type HoldersOf, type KeyMessage, keyMessageSchema } from "../../providers/concurrency/key-holders.ts";
import { fromJson } from "../../text/from-json.ts";

const messageSchema = z.object({ key: z.string(), word: keyMessageSchema });

interface SharedKeysScope extends Pick<Cluster, "publish" | "subscribe" | "size"> {
  readonly log: Log;
}

/** The other processes that call with the same key. Their messages name the key by a digest. */
export function sharedKeys({ publish, subscribe, size, log }: SharedKeysScope): HoldersOf {
  /** By digest of the key. When a provider's settings change, its new queue replaces the old one's listener. */
  const listeners = new Map<string, (word: KeyMessage) => void>();
  subscribe("providers", (about) => {
    const message = messageSchema.safeParse(fromJson(about)).data; // undefined if another release wrote it
    if (message !== undefined) listeners.get(message.key)?.(message.word);
  });
  return (endpoint) => {
    const key = digest(endpoint);
    return {
      size,
      publish(word) {
        const about = JSON.stringify({ key, word } satisfies z.infer<typeof messageSchema>);
        publish("providers", about).catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
      },
      subscribe(listener) {
        listeners.set(key, listener);
      },
    };
  };
}

function digest({ id, baseUrl, apiKey }: Parameters<HoldersOf>[0]): string {
  return hash("sha256", JSON.stringify([id, baseUrl, apiKey])).slice(0, 16);
}
