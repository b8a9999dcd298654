import type { ChatPlatform } from "./protocol/platform.ts";

type Facts = Pick<ChatPlatform, "descriptor" | "health" | "workspaces" | "membership" | "member">;

/** What only tells how things are there, for a platform that does the rest otherwise: it shows nothing, and sends nobody's words. */
export function factsOf(inner: ChatPlatform): Facts {
  return {
    descriptor: inner.descriptor,
    health: () => inner.health(),
    ...(inner.workspaces && { workspaces: inner.workspaces.bind(inner) }),
    ...(inner.membership && { membership: inner.membership.bind(inner) }),
    ...(inner.member && { member: inner.member.bind(inner) }),
  };
}
