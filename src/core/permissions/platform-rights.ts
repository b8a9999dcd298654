import type { Log } from "../protocol/log.ts";
import type { ChatPlatform, PlatformName } from "../protocol/platform.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { AccessRules } from "./access.ts";
import { type CanSeeChannel, createChannelAccess, type MembershipOf, membershipOn } from "./channel-access.ts";
import { type MemberOf, membersOn } from "./members.ts";
import { createWorkspaces, type Workspaces } from "./workspaces.ts";

/** What is asked of the platforms about people. */
export interface PlatformRights {
  readonly membershipOf: MembershipOf;
  readonly memberOf: MemberOf;
  readonly canSeeChannel: CanSeeChannel;
  readonly workspaces: Workspaces;
}

export interface PlatformRightsOptions {
  readonly store: Store;
  readonly access: AccessRules;
  readonly platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "membership" | "member" | "workspaces">>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createPlatformRights(options: PlatformRightsOptions): PlatformRights {
  const membershipOf = membershipOn(options.platforms);
  const memberOf = membersOn(options.platforms, options.log);
  const given = { ...options, membershipOf, memberOf };
  return { membershipOf, memberOf, canSeeChannel: createChannelAccess(given), workspaces: createWorkspaces(given) };
}
