import type { Cluster } from "../core/cluster.ts";
import type { ChatPlatform } from "../core/platform/chat-platform.ts";
import type { PlatformName } from "../core/platform/thread.ts";
import type { AppError } from "../core/protocol/errors.ts";
import type { ProgramEngine } from "./open-engine.ts";
import type { Reachability } from "./reachability.ts";

interface WatchScope {
  /** Null if this process is the only one. */
  readonly reach: Reachability | null;
  readonly fail: (error: AppError) => void;
  readonly parts: AsyncDisposableStack;
}

interface StateSources {
  readonly cluster: Pick<Cluster, "report">;
  readonly platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "health">>;
  readonly engine: Pick<ProgramEngine, "load">;
}

/** Ends this process if it cannot reach a platform that others reach, leaving its sessions to them. */
export function watchReachability({ reach, fail, parts }: WatchScope): void {
  if (reach === null) return;
  const leaving = new AbortController();
  const watching = reach.lost(leaving.signal).then(fail, () => undefined); // aborted
  parts.defer(async () => {
    leaving.abort();
    await watching;
  });
}

/** Shares this process's load and connections with the others. */
export function reportState({ cluster, platforms, engine }: StateSources): void {
  cluster.report(() => ({
    ...engine.load(),
    platforms: Object.fromEntries([...platforms].map(([name, platform]) => [name, platform.health().connected])),
  }));
}
