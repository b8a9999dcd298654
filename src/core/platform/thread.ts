import { z } from "zod";

/** A platform, by the name of its adapter's folder, such as `slack`. src/platforms.ts lists them all. */
export const platformNameSchema = z.string().regex(/^[a-z]+$/u);
export type PlatformName = z.infer<typeof platformNameSchema>;

/** Where a session's posts go. Ids are the platform's own, without prefix. */
export const threadRefSchema = z.object({
  platform: platformNameSchema,
  workspaceId: z.string(),
  /** On Slack the channel, on Discord the parent channel: the one that sandbox roots and limits belong to. */
  channelId: z.string(),
  /**
   * Slack: the root's ts. Discord: the thread's id; a thread made from a message has that message's id, so it is known
   * before the thread exists (`post` makes it). Null in a Discord DM and for a Slack command, whose reply opens a
   * thread. Web: the thread's id.
   */
  threadId: z.string().nullable(),
});
export type ThreadRef = z.infer<typeof threadRefSchema>;

/** Key of a channel's limits, settings and grants. */
export function channelKeyOf(thread: ThreadRef): string {
  return `${thread.platform}:${thread.channelId}`;
}

/** Returns the channel of a key such as `slack:C1`, without a thread. */
export function channelOf(channelKey: string, workspaceId: string): ThreadRef {
  const colon = channelKey.indexOf(":");
  const platform = platformNameSchema.parse(channelKey.slice(0, colon));
  return { platform, workspaceId, channelId: channelKey.slice(colon + 1), threadId: null };
}

/** Key of a thread's session; each thread has one. */
export function sessionKeyOf(thread: ThreadRef): string {
  return [thread.platform, thread.workspaceId, thread.channelId, thread.threadId ?? "-"].join(":");
}

export interface Person {
  /** `slack:U1`, `discord:1`, `web:local`. */
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  /** A guest of the workspace (Slack: restricted; Discord: pending membership screening). */
  readonly isGuest: boolean;
  /** Belongs to another workspace (Slack Connect). */
  readonly isExternal: boolean;
  /** Further names for access rules, such as `discord:role:1`. */
  readonly roles: readonly string[];
}
