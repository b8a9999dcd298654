import { expect, test } from "vitest";
import { z } from "zod";
import { CHAT_COMMANDS } from "../../src/core/commands/registry.ts";
import { runCli } from "../support/program/cli.ts";

const manifestSchema = z.object({
  display_information: z.object({ name: z.string(), description: z.string().max(140) }),
  features: z.object({
    agent_view: z.object({
      agent_description: z.string().max(300),
      suggested_prompts: z.array(z.object({ title: z.string(), message: z.string() })).max(4),
    }),
    slash_commands: z.array(
      z.object({
        command: z.string().regex(/^\/[a-z-]{1,31}$/),
        description: z.string(),
        usage_hint: z.string().optional(),
        url: z.string().optional(),
      }),
    ),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({
    event_subscriptions: z.object({ bot_events: z.array(z.string()), request_url: z.string().optional() }),
    interactivity: z.object({ is_enabled: z.literal(true), request_url: z.string().optional() }),
    socket_mode_enabled: z.boolean(),
  }),
});

async function manifest(...args: string[]) {
  const { out } = await runCli(["manifest", "slack", ...args], {
    chatCommands: [
      { name: "stop", description: "Stop what runs here" },
      { name: "agent", description: "Ask", usage: "<name>" },
    ],
  });
  return manifestSchema.parse(JSON.parse(out));
}

test("the Slack manifest is JSON for Socket Mode with the required scopes", async () => {
  const { oauth_config, settings, features } = await manifest();
  expect(settings.socket_mode_enabled).toBe(true);
  expect(settings.event_subscriptions.request_url).toBeUndefined();
  expect(oauth_config.scopes.bot).toEqual(oauth_config.scopes.bot.toSorted());
  expect(oauth_config.scopes.bot).toEqual(expect.arrayContaining(["app_mentions:read", "chat:write", "files:read"]));
  expect(features.slash_commands.map(({ command, usage_hint }) => [command, usage_hint])).toEqual([
    ["/stop", undefined],
    ["/agent", "<name>"],
  ]);
});

test("every registered command is a valid Slack slash command", async () => {
  const { out } = await runCli(["manifest", "slack"], { chatCommands: CHAT_COMMANDS });
  const { slash_commands } = manifestSchema.parse(JSON.parse(out)).features;
  // Slack has its own /status and refuses a manifest that declares one.
  const names = CHAT_COMMANDS.map(({ name }) => (name === "status" ? "/deckhand-status" : `/${name}`));
  expect(slash_commands.map(({ command }) => command)).toEqual(names);
});

test("each subscribed event has the scope that Slack requires", async () => {
  const { oauth_config, settings } = await manifest();
  const scopes: Record<string, string> = {
    // Slack documents no scopes for the first two; they come with the agent view.
    agent_session_stopped: "assistant:write",
    app_context_changed: "assistant:write",
    app_home_opened: "commands",
    assistant_thread_started: "assistant:write",
    member_joined_channel: "channels:read",
    reaction_added: "reactions:read",
    app_mention: "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
  };
  const wanted = settings.event_subscriptions.bot_events.map((event) => scopes[event]);
  expect(wanted).toHaveLength(Object.keys(scopes).length);
  expect(oauth_config.scopes.bot).toEqual(expect.arrayContaining(wanted));
});

test("with a URL the Slack manifest is for HTTP mode", async () => {
  const url = "https://bot.example.com/slack/events";
  const { settings, features } = await manifest("--url", url);
  expect(settings.socket_mode_enabled).toBe(false);
  expect(settings.event_subscriptions.request_url).toBe(url);
  expect(settings.interactivity.request_url).toBe(url);
  expect(features.slash_commands.map((command) => command.url)).toEqual([url, url]);
});

test("a URL without TLS is refused", async () => {
  const { error, failed } = await runCli(["manifest", "slack", "--url", "http://bot.example.com/"]);
  expect(error).toContain("It must begin with https://.");
  expect(failed).toBe(true);
});

test("the Discord invite requests the permissions that it lists, and explains the intent", async () => {
  const { out } = await runCli(["manifest", "discord", "--app-id", "123456789012345678"]);
  const address = /https:\/\/\S+/.exec(out)?.[0] ?? "";
  const query = new URL(address).searchParams;
  expect(query.get("client_id")).toBe("123456789012345678");
  expect(query.get("scope")).toBe("bot applications.commands");
  // Sum of the nine flags that the text names. Source: Discord docs, Permissions.
  expect(BigInt(query.get("permissions") ?? "0").toString(16)).toBe("580001cc40");
  expect(out).toContain("MESSAGE CONTENT INTENT");
});
