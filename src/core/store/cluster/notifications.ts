import type { Cluster, ClusterTopic } from "../../cluster.ts";
import type { Log } from "../../protocol/log.ts";
import type { ClusterConnection } from "./cluster-connection.ts";

interface Words {
  readonly connection: Pick<ClusterConnection, "hear" | "tell">;
  /** This process's id in the cluster. */
  readonly id: string;
  readonly log: Log;
}

/** A word as it travels: the sender, the topic, and the rest. */
const WORD = /^(?<from>\S+) (?<topic>\S+) (?<about>[^]*)$/u;

/** Opens the words that processes tell each other, over the notifications of the database. */
export async function openNotifications({ connection, id, log }: Words): Promise<Pick<Cluster, "tell" | "hear">> {
  const listeners = new Map<string, Set<(about: string) => void>>();
  await connection.hear((told) => {
    const { from, topic = "", about = "" } = WORD.exec(told)?.groups ?? {};
    if (from === id) return;
    for (const listener of listeners.get(topic) ?? []) listener(about);
  });
  return {
    tell: (topic, about) =>
      connection
        .tell(`${id} ${topic} ${about}`)
        .catch((error: unknown) => log.warn({ err: error, topic }, "cluster_word_lost")),
    hear(topic: ClusterTopic, listener) {
      const own = listeners.get(topic) ?? new Set();
      listeners.set(topic, own.add(listener));
      return () => {
        own.delete(listener);
      };
    },
  };
}
