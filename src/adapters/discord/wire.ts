import { ApplicationCommandType, type ChannelType, InteractionType } from "discord.js";
import { z } from "zod";
import { listOf, messageSchema } from "./message/message-schema.ts";
import { memberSchema, snowflake, userSchema } from "./message/person-schema.ts";

/** The used parts of Discord's payloads; unknown keys are dropped. Names are Discord's. */

export const channelSchema = z.object({
  id: snowflake,
  type: z.number().transform((type): ChannelType => type),
  guild_id: snowflake.nullish(),
  name: z.string().nullish(),
  /** The channel of a thread, or the category of a channel. */
  parent_id: snowflake.nullish(),
  /** Ids of a forum post's tags. */
  applied_tags: listOf(snowflake, 5),
  /** The tags that a forum offers. */
  available_tags: listOf(z.object({ id: snowflake, name: z.string() }), 20),
});

export interface CommandOption {
  readonly name: string;
  readonly value?: string | number | boolean | undefined;
  /** Whether somebody is typing in this option. */
  readonly focused?: boolean | undefined;
  /** The options of a subcommand or of a group of subcommands. */
  readonly options?: readonly CommandOption[] | undefined;
}
const commandOptionSchema: z.ZodType<CommandOption> = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  focused: z.boolean().optional(),
  get options() {
    return z.array(commandOptionSchema).optional();
  },
});

const interactionShape = {
  id: snowflake,
  application_id: snowflake,
  token: z.string(),
  guild_id: snowflake.nullish(),
  channel_id: snowflake,
  /** Looked up if Discord leaves it out. */
  channel: channelSchema.nullish(),
  /** The person, in a server. */
  member: memberSchema.extend({ user: userSchema }).optional(),
  /** The person, in a direct message. */
  user: userSchema.optional(),
};

export const reactionSchema = z.object({
  user_id: snowflake,
  channel_id: snowflake,
  message_id: snowflake,
  guild_id: snowflake.nullish(),
  member: memberSchema.extend({ user: userSchema }).optional(),
  message_author_id: snowflake.nullish(),
  emoji: z.object({ name: z.string().nullish() }),
});
export type WireReaction = z.infer<typeof reactionSchema>;

const messageCommandSchema = z.object({
  type: z.literal(ApplicationCommandType.Message),
  name: z.string(),
  target_id: snowflake,
  resolved: z.object({ messages: z.record(z.string(), messageSchema) }),
});
const slashCommandSchema = z.object({
  type: z.literal(ApplicationCommandType.ChatInput).default(ApplicationCommandType.ChatInput),
  name: z.string(),
  options: z.array(commandOptionSchema).default([]),
});

/** The message that contains a clicked button. */
const heldMessageSchema = z.object({ id: snowflake, flags: z.number().default(0) });

export const interactionSchema = z.discriminatedUnion("type", [
  z.object({
    ...interactionShape,
    type: z.literal(InteractionType.ApplicationCommand),
    data: z.union([messageCommandSchema, slashCommandSchema]),
  }),
  z.object({
    ...interactionShape,
    type: z.literal(InteractionType.MessageComponent),
    data: z.object({ custom_id: z.string() }),
    message: heldMessageSchema,
  }),
  /** Somebody is typing an option of a command. Source: Discord docs, Autocomplete. */
  z.object({
    ...interactionShape,
    type: z.literal(InteractionType.ApplicationCommandAutocomplete),
    data: slashCommandSchema,
  }),
  z.object({
    ...interactionShape,
    type: z.literal(InteractionType.ModalSubmit),
    data: z.object({
      custom_id: z.string(),
      components: z.array(z.object({ components: z.array(z.object({ custom_id: z.string(), value: z.string() })) })),
    }),
    /** The message whose button opened the dialog. */
    message: heldMessageSchema.nullish(),
  }),
]);

/** An option of a registered command. Discord omits empty and false fields. */
export interface RegisteredOption {
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly autocomplete: boolean;
  readonly choices: readonly { readonly name: string; readonly value: string }[];
  readonly options: readonly RegisteredOption[];
}
const registeredOptionSchema: z.ZodType<RegisteredOption> = z.object({
  type: z.number(),
  name: z.string(),
  description: z.string(),
  required: z.boolean().default(false),
  autocomplete: z.boolean().default(false),
  choices: z.array(z.object({ name: z.string(), value: z.coerce.string() })).default([]),
  get options() {
    return z.array(registeredOptionSchema).default([]);
  },
});
export const registeredCommandSchema = z.object({
  type: z.number().default(1),
  name: z.string(),
  description: z.string(),
  options: z.array(registeredOptionSchema).default([]),
});

export const threadDeleteSchema = z.object({ id: snowflake, parent_id: snowflake });

export type RegisteredCommand = z.infer<typeof registeredCommandSchema>;
export type WireChannel = z.infer<typeof channelSchema>;
export type WireInteraction = z.infer<typeof interactionSchema>;
export type WireInteractionOf<T extends InteractionType> = Extract<WireInteraction, { readonly type: T }>;
