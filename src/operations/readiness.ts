import type { ChatPlatform, PlatformName } from "../core/protocol/platform.ts";

export interface Readiness {
  readonly status: 200 | 503;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Ready: this process runs sessions, and every configured platform is connected. `replicas`: how many processes share the
 * database; null where this one has it to itself.
 */
export function readiness(
  state: string,
  platforms: ReadonlyMap<PlatformName, ChatPlatform>,
  replicas: number | null = null,
): Readiness {
  const details = Object.fromEntries([...platforms].map(([name, platform]) => [name, platform.health()]));
  const isReady = state === "running" && [...platforms.values()].every((platform) => platform.health().connected);
  return {
    status: isReady ? 200 : 503,
    body: { ready: isReady, state, ...(replicas === null ? {} : { replicas }), platforms: details },
  };
}
