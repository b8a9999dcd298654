import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Person, PlatformName, ThreadRef } from "../platform/thread.ts";
import { TRANSIENT_PLATFORM_ERRORS } from "../protocol/error-groups.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";

/**
 * A person as their platform knows them now; null if they have left, undefined if that cannot be determined. Rejects
 * while the platform is unavailable.
 */
export type MemberOf = (thread: ThreadRef, personId: string) => Promise<Person | null | undefined>;

export function membersOn(platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "member">>, log: Log): MemberOf {
  return async (thread, personId) => {
    const platform = platforms.get(thread.platform);
    if (platform?.member === undefined || !personId.startsWith(`${thread.platform}:`)) return undefined;
    try {
      return await platform.member(thread, personId);
    } catch (error) {
      const failure = toAppError(error);
      log.warn({ err: failure, personId }, "member_unknown");
      if (TRANSIENT_PLATFORM_ERRORS.has(failure.code)) throw failure;
      return undefined;
    }
  };
}
