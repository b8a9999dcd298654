import type { ChatPlatform } from "./platform/chat-platform.ts";

type Facts = Pick<ChatPlatform, "descriptor" | "health" | "workspaces" | "membership" | "member">;

/** The read-only part of a platform, which posts and delivers nothing, for a wrapper that replaces the rest. */
export function factsOf(inner: ChatPlatform): Facts {
  return {
    descriptor: inner.descriptor,
    health: () => inner.health(),
    ...(inner.workspaces && { workspaces: inner.workspaces.bind(inner) }),
    ...(inner.membership && { membership: inner.membership.bind(inner) }),
    ...(inner.member && { member: inner.member.bind(inner) }),
  };
}
