import { assertNever } from "../../core/protocol/assert-never.ts";
import type { ThreadRef } from "../../core/protocol/platform.ts";

/**
 * True where whoever writes means the agent without mentioning it: a direct message, or the page. Slack: ids of direct
 * messages begin with D (Slack docs, Conversations API). Discord: their place has no server, and is called `@me`.
 */
export function isDirect({ platform, workspaceId, channelId }: ThreadRef): boolean {
  switch (platform) {
    case "slack":
      return channelId.startsWith("D");
    case "discord":
      return workspaceId === "@me";
    case "web":
      return true;
    default:
      return assertNever(platform);
  }
}
