import type { ChatPlatform } from "../core/platform/chat-platform.ts";
import type { PlatformName } from "../core/platform/thread.ts";
import { isDiskFull } from "../core/protocol/database-failure.ts";

export interface Readiness {
  readonly status: 200 | 503;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Working {
  readonly state: string;
  /** Why the database refuses writes; null if it does not. */
  readonly storeFailure: unknown;
}

/**
 * Whether this process is ready: it runs sessions, the database accepts writes, and every configured platform is
 * connected. `replicas`: the number of processes that share the database; null if this one has it to itself.
 * `differing`: settings that differ from the other processes', which does not affect readiness, since every rollout has
 * them.
 */
export function readiness(
  { state, storeFailure }: Working,
  platforms: ReadonlyMap<PlatformName, ChatPlatform>,
  replicas: { readonly size: number; readonly differing: readonly string[] } | null = null,
): Readiness {
  const details = Object.fromEntries([...platforms].map(([name, platform]) => [name, platform.health()]));
  const isConnected = [...platforms.values()].every((platform) => platform.health().connected);
  const isReady = state === "running" && storeFailure === null && isConnected;
  const database = storeFailure === null ? {} : { database: isDiskFull(storeFailure) ? FULL : UNWRITABLE };
  const differing = replicas?.differing ?? [];
  const settings = differing.length === 0 ? {} : { otherSettings: differing };
  const sharing = replicas === null ? {} : { replicas: replicas.size, ...settings };
  return { status: isReady ? 200 : 503, body: { ready: isReady, state, ...sharing, ...database, platforms: details } };
}

const FULL = "its disk is full; free up space";
const UNWRITABLE = "it refuses writes; the log says why";
