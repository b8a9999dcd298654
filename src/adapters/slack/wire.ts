import { z } from "zod";

/** Slack's payloads, as far as they are read. Unknown keys are dropped. */

/** Seconds with up to nine decimals, as text. */
const tsSchema = z.string().regex(/^\d{1,12}(?:\.\d{1,9})?$/u);

/** Removes null fields, because Slack sends null for absent values in some places. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

/** The content of a message, read piece by piece in message/read-message.ts. */
const contentShape = {
  text: z.string().nullish().catch(null),
  blocks: z.unknown().optional(),
  attachments: z.unknown().optional(),
  files: z.unknown().optional(),
  /** Participants, in a message about a huddle. */
  room: z.unknown().optional(),
  /** The pinned message, in a notice about a pin. */
  item: z.unknown().optional(),
};

const messageFields = z.object({
  subtype: z.string().optional(),
  ts: tsSchema,
  thread_ts: tsSchema.optional(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  hidden: z.boolean().optional(),
  edited: z.object({ ts: tsSchema }).nullish().catch(null),
  /** What the author has open beside the pane. */
  app_context: z.unknown().optional(),
  ...contentShape,
});

export const messageEventSchema = z.preprocess(
  withoutNulls,
  messageFields.extend({
    type: z.enum(["message", "app_mention"]),
    channel: z.string(),
    channel_type: z.string().optional(),
  }),
);
export type MessageEvent = z.infer<typeof messageEventSchema>;

/** A message as read over the Web API: without its channel, but with the ts of its newest reply. */
export const historyMessageSchema = z.preprocess(
  withoutNulls,
  messageFields.extend({
    latest_reply: tsSchema.optional().catch(undefined),
    username: z.string().nullish().catch(null),
    reactions: z.unknown().optional(),
    bot_profile: z.object({ name: z.string().nullish() }).nullish().catch(null),
    /** Without `include_all_metadata` Slack sends only the type. */
    metadata: z
      .object({ event_type: z.string(), event_payload: z.record(z.string(), z.unknown()).optional() })
      .nullish()
      .catch(null),
  }),
);
export type HistoryMessage = z.infer<typeof historyMessageSchema>;

export const eventCallbackSchema = z.object({
  type: z.literal("event_callback"),
  event: z.preprocess(withoutNulls, z.looseObject({ type: z.string(), subtype: z.string().optional() })),
});

/** A change of a message, by an edit or because of something else such as a link preview. */
export const changeSchema = z.object({
  channel: z.string(),
  channel_type: z.string().optional(),
  message: z.looseObject({ user: z.string(), text: z.string().nullish(), edited: z.object({ ts: tsSchema }) }),
  /** When it changed. */
  ts: tsSchema,
  previous_message: z.object({ text: z.string().nullable() }).optional().catch(undefined),
});

/** A deletion. The message is gone, or, if it has replies, a placeholder takes its place. */
export const deletionSchema = z.object({
  channel: z.string(),
  channel_type: z.string().optional(),
  deleted_ts: tsSchema.optional(),
  message: z.object({ ts: tsSchema }).optional(),
  /** The message before its deletion; unreliable. */
  previous_message: z.looseObject({}).optional().catch(undefined),
});

/** The placeholder of a deleted message. */
export const tombstoneSchema = z.object({ message: z.object({ subtype: z.literal("tombstone") }) });

const placeSchema = z.object({ ts: z.string(), thread_ts: z.string().optional() });

/** Where a message was posted, changed or deleted. */
export const messageThreadSchema = z.object({
  type: z.literal("event_callback"),
  event: z.preprocess(
    withoutNulls,
    placeSchema.extend({
      type: z.enum(["message", "app_mention"]),
      channel: z.string(),
      message: placeSchema.optional().catch(undefined),
      previous_message: placeSchema.optional().catch(undefined),
    }),
  ),
});

export const joinedSchema = z.object({
  type: z.literal("member_joined_channel"),
  user: z.string(),
  channel: z.string(),
  inviter: z.string().optional(),
  event_ts: tsSchema,
});

export const homeOpenedSchema = z.object({
  type: z.literal("app_home_opened"),
  user: z.string(),
  /** The person's direct messages with the bot. */
  channel: z.string(),
  tab: z.string(),
  context: z.unknown().optional(),
  event_ts: tsSchema,
});

/** What a person has open beside the pane now. Source: Slack docs, app_context_changed. */
export const contextChangedSchema = z.object({
  type: z.literal("app_context_changed"),
  user: z.string(),
  context: z.unknown().optional(),
});

export const assistantStartedSchema = z.object({
  type: z.literal("assistant_thread_started"),
  assistant_thread: z.object({ user_id: z.string(), channel_id: z.string(), thread_ts: tsSchema }),
  event_ts: tsSchema,
});

/** Slack's own stop button, in a thread in which the app is working. Source: Slack docs, agent_session_stopped. */
export const stoppedSchema = z.object({
  type: z.literal("agent_session_stopped"),
  user: z.string(),
  channel: z.string(),
  thread_ts: tsSchema,
  event_ts: tsSchema,
});

export const reactionSchema = z.object({
  type: z.literal("reaction_added"),
  user: z.string(),
  reaction: z.string(),
  item_user: z.string().optional(),
  item: z.discriminatedUnion("type", [
    z.object({ type: z.literal("message"), channel: z.string(), ts: tsSchema }),
    z.object({ type: z.literal("file") }),
    z.object({ type: z.literal("file_comment") }),
  ]),
  event_ts: tsSchema,
});

export const formSubmissionSchema = z.object({
  type: z.literal("view_submission"),
  /** Different for each submission of the form. */
  trigger_id: z.string().optional(),
  user: z.object({ id: z.string() }),
  view: z.object({
    id: z.string(),
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({
      values: z.record(
        z.string(),
        z.record(
          z.string(),
          z.object({
            value: z.string().nullish(),
            selected_option: z.object({ value: z.string() }).nullish(),
            selected_conversation: z.string().nullish(),
          }),
        ),
      ),
    }),
  }),
});
export type FormSubmission = z.infer<typeof formSubmissionSchema>;

/** Allows opening a form for the person who just acted; valid for 3 s. Source: Slack docs, views.open. */
export const triggerSchema = z.object({ trigger_id: z.string() });

/** A click on a button of the home tab. */
export const homeActionsSchema = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string() }),
  view: z.object({ id: z.string(), type: z.literal("home") }),
  actions: z.array(z.object({ type: z.string(), action_id: z.string(), action_ts: tsSchema })).min(1),
});
export type HomeActions = z.infer<typeof homeActionsSchema>;

export const blockActionsSchema = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string() }),
  channel: z.object({ id: z.string(), name: z.string().optional() }),
  /** Absent if the button is in a message that only one person sees. */
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  container: z.object({
    message_ts: z.string(),
    thread_ts: z.string().optional(),
    is_ephemeral: z.boolean().default(false),
  }),
  actions: z
    .array(
      z.object({
        type: z.string(),
        action_id: z.string(),
        action_ts: tsSchema,
        /** The thread that a private message in the channel belongs to. */
        value: tsSchema.optional().catch(undefined),
      }),
    )
    .min(1),
});
export type BlockActions = z.infer<typeof blockActionsSchema>;

/** A shortcut from a message's menu. Source: Slack docs, Shortcuts interaction payloads. */
export const messageShortcutSchema = z.object({
  type: z.literal("message_action"),
  callback_id: z.string(),
  trigger_id: z.string(),
  user: z.object({ id: z.string() }),
  channel: z.object({ id: z.string() }),
  message: historyMessageSchema,
});
export type MessageShortcut = z.infer<typeof messageShortcutSchema>;

export const slashCommandSchema = z.preprocess(
  withoutNulls,
  z.object({
    command: z.string(),
    text: z.string().default(""),
    user_id: z.string(),
    channel_id: z.string(),
    channel_name: z.string().optional(),
    trigger_id: z.string(),
  }),
);
export type SlashCommand = z.infer<typeof slashCommandSchema>;

export const userSchema = z.preprocess(
  withoutNulls,
  z.object({
    id: z.string(),
    team_id: z.string().optional(),
    name: z.string().optional(),
    real_name: z.string().optional(),
    is_bot: z.boolean().optional(),
    /** Whether the account is deactivated. */
    deleted: z.boolean().optional(),
    is_restricted: z.boolean().optional(),
    is_ultra_restricted: z.boolean().optional(),
    is_stranger: z.boolean().optional(),
    profile: z.object({ display_name: z.string().nullish(), real_name: z.string().nullish() }).optional(),
    enterprise_user: z
      .object({ enterprise_id: z.string().nullish(), teams: z.array(z.string()).nullish() })
      .optional()
      .catch(undefined),
  }),
);

/** Converts a ts to milliseconds since the epoch. */
export function tsToMs(ts: string): number {
  return Math.floor(Number(ts) * 1_000);
}
