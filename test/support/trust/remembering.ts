import type { MembershipOf } from "../../../src/core/permissions/channel-access.ts";
import { createMemories } from "../../../src/features/memory/memories.ts";
import { recallHook } from "../../../src/features/memory/recall-hook.ts";
import { createRememberedCounts } from "../../../src/features/memory/remembered-counts.ts";
import { memoryTools } from "../../../src/features/memory/tools.ts";
import { describePlatform } from "../../../src/platforms.ts";
import type { SimOfficeOptions } from "../simulation/sim-office.ts";

const membershipOf: MembershipOf = ({ channelId }) =>
  Promise.resolve({ isPrivate: channelId === "P", isMember: true, canPost: true });

/** Memory of people's words, recalled in later threads; only channel P is private. */
export const remembering: NonNullable<SimOfficeOptions["feature"]> = (host) => {
  const cluster = { isShared: false };
  const place = { database: "sqlite", describe: describePlatform, admins: [], membershipOf, cluster } as const;
  const memories = createMemories({ ...host, ...place });
  return {
    tools: () => memoryTools(memories, { ...host, ...place, counts: createRememberedCounts() }),
    hook: recallHook(memories, host),
  };
};
