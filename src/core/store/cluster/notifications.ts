import type { Cluster, ClusterTopic } from "../../cluster.ts";
import type { ClusterConnection, ReplicaScope } from "./cluster-connection.ts";

interface NotificationScope extends Pick<ReplicaScope, "id" | "log"> {
  readonly connection: Pick<ClusterConnection, "subscribe" | "publish">;
}

/** A notice as it travels: the sender, the topic, and the rest. */
const NOTICE = /^(?<from>\S+) (?<topic>\S+) (?<about>[^]*)$/u;

/** Opens the notices between processes, which travel as notifications of the database. */
export async function openNotifications(scope: NotificationScope): Promise<Pick<Cluster, "publish" | "subscribe">> {
  const { connection, id, log } = scope;
  const listeners = new Map<string, Set<(about: string) => void>>();
  await connection.subscribe((payload) => {
    const { from, topic = "", about = "" } = NOTICE.exec(payload)?.groups ?? {};
    if (from === id) return;
    for (const listener of listeners.get(topic) ?? []) listener(about);
  });
  return {
    publish: (topic, about) =>
      connection
        .publish(`${id} ${topic} ${about}`)
        .catch((error: unknown) => log.warn({ err: error, topic }, "cluster_word_lost")),
    subscribe(topic: ClusterTopic, listener) {
      const own = listeners.get(topic) ?? new Set();
      listeners.set(topic, own.add(listener));
      return () => {
        own.delete(listener);
      };
    },
  };
}
