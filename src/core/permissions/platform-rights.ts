import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { PlatformName } from "../platform/thread.ts";
import { type CanSeeChannel, createChannelAccess, type MembershipOf, membershipOn } from "./channel-access.ts";
import { type MemberOf, membersOn } from "./members.ts";
import { createWorkspaces, type WorkspaceOptions, type Workspaces } from "./workspaces.ts";

/** What the platforms know about people's rights. */
export interface PlatformRights {
  readonly membershipOf: MembershipOf;
  readonly memberOf: MemberOf;
  readonly canSeeChannel: CanSeeChannel;
  readonly workspaces: Workspaces;
}

export function createPlatformRights(
  platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "membership" | "member" | "workspaces">>,
  options: Omit<WorkspaceOptions, "platforms" | "memberOf">,
): PlatformRights {
  const membershipOf = membershipOn(platforms);
  const memberOf = membersOn(platforms, options.log);
  return {
    membershipOf,
    memberOf,
    canSeeChannel: createChannelAccess(membershipOf, memberOf, options),
    workspaces: createWorkspaces({ ...options, platforms, memberOf }),
  };
}
