import type { PlatformDescriptor } from "../../core/platform/descriptor.ts";
import { SLACK_LIMITS } from "./limits.ts";

/**
 * Slack's built-in slash commands. Slack rejects a whole manifest that contains one of them ("the slash command has an
 * invalid name"). Source: Slack help, Use shortcuts and slash commands.
 */
const OWN_COMMANDS: ReadonlySet<string> = new Set([
  "active",
  "apps",
  "archive",
  "away",
  "call",
  "collapse",
  "dm",
  "dnd",
  "expand",
  "feed",
  "feedback",
  "invite",
  "join",
  "leave",
  "me",
  "msg",
  "mute",
  "open",
  "prefs",
  "pro",
  "remind",
  "remove",
  "rename",
  "search",
  "shortcuts",
  "shrug",
  "star",
  "status",
  "topic",
  "who",
]);

/** Prefix for commands whose names Slack reserves. Operators may use it for other commands, too. */
export const COMMAND_PREFIX = "deckhand-";

export const SLACK: PlatformDescriptor = {
  name: "slack",
  title: "Slack",
  limits: SLACK_LIMITS,
  ids: {
    people: [{ id: /^[A-Z0-9]+$/u, written: "U…" }],
    /** Channels, direct messages and groups. Source: Slack docs, Conversations API. */
    channel: { id: /^[CDG][A-Z0-9]+$/u, written: "C…" },
  },
  isOwn: false,
  /** Ids of direct messages begin with D. Source: Slack docs, Conversations API. */
  isDirect: ({ channelId }) => channelId.startsWith("D"),
  hasThreads: () => true,
  slashName: (command) => (OWN_COMMANDS.has(command) ? `${COMMAND_PREFIX}${command}` : command),
  /** The thread's address in the web client, which does not depend on the workspace's domain. */
  link: ({ workspaceId, channelId, threadId }) =>
    threadId === null
      ? null
      : `https://app.slack.com/client/${workspaceId}/${channelId}/thread/${channelId}-${threadId}`,
};
