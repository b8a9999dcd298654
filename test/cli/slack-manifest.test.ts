import { expect, test } from "vitest";
import { z } from "zod";
import { slackManifest } from "../../src/cli/manifest/slack-manifest.ts";
import { CHAT_COMMANDS } from "../../src/core/commands/registry.ts";
import { ALL_SCOPES } from "../support/slack/slack-methods.ts";

/**
 * What Slack accepts in the parts of a manifest that the program uses: no other keys, and these lengths. Source: the
 * schema that Slack publishes, slackapi/manifest-schema, version 2.
 */
const address = z
  .string()
  .regex(/^https?:\/\//u)
  .max(3_000);
const unique = (values: readonly string[]) => new Set(values).size === values.length;
const names = z.array(z.string().max(50));
const manifestRules = z.strictObject({
  display_information: z.strictObject({
    name: z.string().min(1).max(35),
    description: z.string().min(1).max(140),
    background_color: z.string().regex(/^#(?:[\da-f]{3}|[\da-f]{6})$/iu),
  }),
  features: z.strictObject({
    agent_view: z.strictObject({
      agent_description: z.string().max(300),
      suggested_prompts: z.array(z.strictObject({ title: z.string(), message: z.string() })).max(4),
    }),
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({ display_name: z.string().min(1).max(80), always_online: z.boolean() }),
    shortcuts: z
      .array(
        z.strictObject({
          type: z.enum(["global", "message"]),
          // Slack's schema sets no length, but Slack refuses longer names. Source: agentconnect-md/agentconnect#179.
          name: z.string().min(1).max(24),
          callback_id: z.string().min(1).max(255),
          description: z.string().min(1).max(150),
        }),
      )
      .max(10),
    slash_commands: z
      .array(
        z.strictObject({
          command: z
            .string()
            .regex(/^\/[a-z\d_-]+$/u)
            .max(32),
          url: address.optional(),
          description: z.string().min(1).max(2_000),
          usage_hint: z.string().min(1).max(1_000).optional(),
          should_escape: z.boolean(),
        }),
      )
      .min(1)
      .max(50)
      .refine((commands) => unique(commands.map(({ command }) => command))),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: names.max(255).refine(unique) }) }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({
      request_url: address.optional(),
      bot_events: names.max(100).refine(unique),
    }),
    interactivity: z.strictObject({ is_enabled: z.literal(true), request_url: address.optional() }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

test.each([
  { mode: "Socket Mode", requestUrl: undefined },
  { mode: "HTTP", requestUrl: "https://bot.example.com/slack/events" },
])("the manifest for $mode is valid for Slack", ({ requestUrl }) => {
  const made = slackManifest(CHAT_COMMANDS, requestUrl);
  expect(manifestRules.safeParse(made).error?.issues).toBeUndefined();
});

/** Scopes that events need and that belong to no call of the program: `history` and `read` of each kind of channel. */
const WITHOUT_CALLS = [
  "app_mentions:read",
  "commands",
  "groups:history",
  "im:history",
  "mpim:history",
  "reactions:read",
];

test("it requests exactly the scopes of the API calls that are made", () => {
  const { scopes } = manifestRules.parse(slackManifest(CHAT_COMMANDS)).oauth_config;
  expect(scopes.bot.toSorted()).toEqual([...new Set([...ALL_SCOPES, ...WITHOUT_CALLS])].toSorted());
});

test("it has one shortcut, in the menu of messages", () => {
  const { shortcuts } = manifestRules.parse(slackManifest(CHAT_COMMANDS)).features;
  expect(shortcuts).toMatchObject([{ type: "message", name: "Ask Deckhand about this" }]);
});
