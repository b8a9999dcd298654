import type { ChatPlatform } from "../core/platform/chat-platform.ts";
import { factsOf } from "../core/platform-facts.ts";
import type { OpenCluster } from "../core/store/cluster/cluster.ts";
import type { Reachability } from "./reachability.ts";

interface Fence {
  readonly cluster: Pick<OpenCluster, "requireAlive">;
  readonly reach: Pick<Reachability, "record">;
}

/**
 * Stops showing anything once the other replicas consider this one dead, because requests that waited while the process
 * was frozen are theirs to make by now. Records the outcome of each request.
 */
export function fencedPlatform(inner: ChatPlatform, { cluster, reach }: Fence): ChatPlatform {
  const { name } = inner.descriptor;
  const fenced =
    <A extends unknown[], T>(show: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await cluster.requireAlive();
      try {
        const shown = await show(...args);
        reach.record(name, null);
        return shown;
      } catch (error) {
        reach.record(name, error);
        throw error;
      }
    };
  return {
    ...factsOf(inner),
    start: inner.start.bind(inner),
    stop: () => inner.stop(),
    find: fenced(inner.find.bind(inner)),
    fetchFile: inner.fetchFile.bind(inner),
    fetchThread: inner.fetchThread.bind(inner),
    missed: inner.missed.bind(inner),
    ...(inner.previews && { previews: inner.previews.bind(inner) }),
    post: fenced(inner.post.bind(inner)),
    edit: fenced(inner.edit.bind(inner)),
    react: fenced(inner.react.bind(inner)),
    upload: fenced(inner.upload.bind(inner)),
    postEphemeral: fenced(inner.postEphemeral.bind(inner)),
    ...(inner.showStatus && { showStatus: fenced(inner.showStatus.bind(inner)) }),
    ...(inner.openPrivateThread && { openPrivateThread: fenced(inner.openPrivateThread.bind(inner)) }),
  };
}
