import { assertNever } from "../../core/protocol/assert-never.ts";
import type { ThreadRef } from "../../core/protocol/platform.ts";

/**
 * Where a thread is to be read; null where it has no address. Slack: the web client's address of a thread, which needs no
 * domain of the workspace. Discord: documented for channels, and a thread is one. On the page: within it.
 */
export function threadLink({ platform, workspaceId, channelId, threadId }: ThreadRef): string | null {
  switch (platform) {
    case "slack":
      return threadId === null
        ? null
        : `https://app.slack.com/client/${workspaceId}/${channelId}/thread/${channelId}-${threadId}`;
    case "discord":
      return `https://discord.com/channels/${workspaceId}/${threadId ?? channelId}`;
    case "web":
      return threadId === null ? null : `#${threadId}`;
    default:
      return assertNever(platform);
  }
}
