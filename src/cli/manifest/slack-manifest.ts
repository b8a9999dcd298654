import type { ChatCommand } from "../../core/command-line/command.ts";
import { ASK_SHORTCUT, PROMPTS } from "../../core/inbound/prompts.ts";
import { describePlatform } from "../../platforms.ts";

export type RegisteredCommand = Pick<ChatCommand, "name" | "description" | "usage">;

/** All scopes are used; `explain` names a missing one when Slack refuses a call. */
const BOT_SCOPES = [
  "app_mentions:read", // mentions
  "assistant:write", // the agent view, its prompts and titles
  "channels:history", // threads in public channels: messages without a mention, and context
  "channels:read", // names of channels, joining one, and missed messages
  "chat:write", // answers, progress, statuses
  "commands",
  "files:read", // attachments
  "files:write", // long answers and results as files
  "groups:history", // threads in private channels
  "groups:read", // as channels:read
  "im:history", // direct messages
  "im:read", // as channels:read
  "im:write", // private notices
  "mpim:history", // group direct messages
  "mpim:read", // as channels:read
  "reactions:read", // reactions that point out a message
  "reactions:write", // signs on people's messages
  "users:read", // names, and whether somebody is a guest
];

const BOT_EVENTS = [
  "agent_session_stopped",
  "app_context_changed",
  "app_home_opened",
  "app_mention",
  "assistant_thread_started",
  "member_joined_channel",
  "message.channels",
  "message.groups",
  "message.im",
  "message.mpim",
  "reaction_added",
];

/** The command in each message's menu. Slack limits its name to 24 characters, whatever its schema says. */
const ASK_ABOUT_MESSAGE = {
  type: "message",
  name: "Ask Deckhand about this",
  callback_id: ASK_SHORTCUT,
  description: "Starts a session about this message in its thread.",
};

/** The manifest for “Create New App → From a manifest”. Source: Slack docs, App manifest reference. */
export function slackManifest(commands: readonly RegisteredCommand[], requestUrl?: string): object {
  const url = requestUrl === undefined ? {} : { url: requestUrl };
  const request = requestUrl === undefined ? {} : { request_url: requestUrl };
  return {
    display_information: {
      name: "Deckhand",
      description: "An agent for this team: reads, changes and runs things where you ask it to.",
      background_color: "#1f3a5f",
    },
    features: {
      agent_view: {
        agent_description:
          "Mention me in a thread or write to me: I read, search and change files in the channel's sandbox.",
        suggested_prompts: PROMPTS.map(({ title, message }) => ({ title, message })),
      },
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      shortcuts: [ASK_ABOUT_MESSAGE],
      bot_user: { display_name: "Deckhand", always_online: true },
      slash_commands: commands.map(({ name, description, usage }) => ({
        command: `/${describePlatform("slack").slashName(name)}`,
        ...url,
        description,
        ...(usage === undefined ? {} : { usage_hint: usage }),
        should_escape: true,
      })),
    },
    oauth_config: { scopes: { bot: BOT_SCOPES } },
    settings: {
      event_subscriptions: { ...request, bot_events: BOT_EVENTS },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: false,
      socket_mode_enabled: requestUrl === undefined,
      token_rotation_enabled: false,
    },
  };
}
