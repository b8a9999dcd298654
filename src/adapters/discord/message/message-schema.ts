import type { ComponentType, MessageType } from "discord.js";
import { z } from "zod";
import { memberSchema, snowflake, userSchema } from "./person-schema.ts";

/**
 * The used parts of a message. Only its id is required: a missing or malformed part counts as absent, and a malformed
 * item of a list does not affect the others. Names are Discord's.
 */

/** Maximum characters read of one text. A Discord message has at most 4,000, an embed 6,000. */
const TEXT_CHARS = 8_000;

const words = z
  .string()
  .transform((text) => text.slice(0, TEXT_CHARS).toWellFormed())
  .catch("");
/** An address that is too long is dropped, since a cut one would lead nowhere. */
const address = z.string().max(TEXT_CHARS).catch("");
const count = z.number().catch(0);

/** The valid items of a list, at most `most` of them. */
export function listOf<T extends z.ZodType>(item: T, most: number) {
  const every = z.array(z.unknown()).catch([]);
  return every.transform((items) =>
    items.slice(0, most).flatMap((each): z.output<T>[] => {
      const parsed = item.safeParse(each);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}

/** Undefined if the value is missing, null or malformed. */
function lenient<T extends z.ZodType>(schema: T) {
  return schema
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
}

const mentionSchema = userSchema.extend({ member: lenient(memberSchema) });

const attachmentSchema = z.object({
  filename: words,
  /** The original name, before Discord removed characters that it does not allow. */
  title: words,
  size: count,
  url: address,
  content_type: z.string().nullish().catch(null),
  /** The author's description. */
  description: words,
  /** Duration of a voice message, in seconds. */
  duration_secs: count,
});

/** A picture or a file in an embed or a component. */
const mediaSchema = z.object({
  url: address,
  /** The address of Discord's own copy. */
  proxy_url: address,
  content_type: z.string().nullish().catch(null),
  /** The description for people who cannot see it. */
  description: words,
});

const embedSchema = z.object({
  type: z.string().catch("rich"),
  provider: lenient(z.object({ name: words, url: address })),
  title: words,
  description: words,
  url: address,
  /** Red, green and blue as one number; 0 without a colour. */
  color: count,
  timestamp: words,
  author: lenient(z.object({ name: words, url: address })),
  fields: listOf(z.object({ name: words, value: words }), 25),
  footer: lenient(z.object({ text: words })),
  image: lenient(mediaSchema),
  thumbnail: lenient(mediaSchema),
  /** Components of a preview laid out by the linked page. Source: Discord docs, Component Embeds. */
  components: z.array(z.unknown()).catch([]),
});

/** A component of any type, with the fields of all known types. Its children are parsed separately. */
export const componentSchema = z.object({
  type: z
    .number()
    .catch(0)
    .transform((type): ComponentType => type),
  content: words,
  label: words,
  emoji: lenient(z.object({ name: words })),
  placeholder: words,
  description: words,
  name: words,
  size: count,
  url: address,
  media: lenient(mediaSchema),
  file: lenient(mediaSchema),
  items: listOf(z.object({ description: words, media: mediaSchema }), 10),
  options: listOf(z.object({ label: words, description: words, default: z.boolean().catch(false) }), 25),
  accent_color: count,
  components: z.array(z.unknown()).catch([]),
  accessory: z.unknown().optional(),
});

const media = z.object({ text: words, emoji: lenient(z.object({ name: words })) });
const pollSchema = z.object({
  question: media.catch({ text: "", emoji: undefined }),
  answers: listOf(z.object({ answer_id: count, poll_media: media }), 20),
  /** When it ends. */
  expiry: words,
  /** Undefined if the votes are unknown. Source: Discord docs, Poll Results Object. */
  results: lenient(
    z.object({
      answer_counts: listOf(z.object({ id: z.number(), count }), 20),
      is_finalized: z.boolean().catch(false),
    }),
  ),
});

const contentShape = {
  content: words,
  flags: z.coerce.number().catch(0),
  embeds: listOf(embedSchema, 10),
  attachments: listOf(attachmentSchema, 20),
  mentions: listOf(mentionSchema, 100),
  /** Channels of another server, in messages of followed channels. */
  mention_channels: listOf(z.object({ id: snowflake, name: words }), 100),
  components: z.array(z.unknown()).catch([]),
  sticker_items: listOf(z.object({ name: words }), 5),
  /** Sounds in the text, as `<sound:guild:id>`. Discord's docs do not mention this field. */
  soundboard_sounds: listOf(z.object({ sound_id: snowflake, name: words }), 10),
  poll: lenient(pollSchema),
};
const contentSchema = z.object(contentShape);

/** The command that a message answers, and who used it. */
const interactionSchema = z.object({ name: words, user: lenient(userSchema) });

/** Author of a message whose author cannot be read; treated as a bot, so it gets no answer. */
const NOBODY = { id: "0", username: "someone", bot: true };

const plainMessageSchema = z.object({
  ...contentShape,
  id: snowflake,
  channel_id: snowflake.catch("0"),
  guild_id: lenient(snowflake),
  /** -1 if it is not a number. */
  type: z
    .number()
    .catch(-1)
    .transform((type): MessageType => type),
  author: userSchema.catch(NOBODY),
  member: lenient(memberSchema),
  /** A malformed id still marks the message as a webhook's. */
  webhook_id: snowflake.nullish().catch("0"),
  nonce: lenient(z.union([z.string(), z.number()])),
  mention_roles: listOf(snowflake, 100),
  reactions: listOf(
    z.object({ emoji: z.object({ id: lenient(snowflake), name: words }), count, me: z.boolean().catch(false) }),
    20,
  ),
  interaction: lenient(interactionSchema),
  interaction_metadata: lenient(interactionSchema),
  message_reference: lenient(z.object({ channel_id: lenient(snowflake), message_id: lenient(snowflake) })),
  /** Forwarded messages, as they were when they were forwarded. */
  message_snapshots: listOf(z.object({ message: contentSchema.extend({ timestamp: words }) }), 5),
});

export const messageSchema = plainMessageSchema.extend({
  /** The message that this one replies to; null if it was deleted. */
  referenced_message: plainMessageSchema.nullish().catch(undefined),
});

/** An update of a message. Without a time of the edit, Discord only added something like a preview. */
export const editSchema = z.object({
  id: snowflake,
  channel_id: snowflake,
  guild_id: lenient(snowflake),
  edited_timestamp: z.iso.datetime({ offset: true }),
});

/** A deletion of one message, or of several in a channel. It does not name the authors. */
export const deletionSchema = z.union([
  z.object({ channel_id: snowflake, ids: z.array(snowflake) }),
  z.object({ channel_id: snowflake, id: snowflake }).transform(({ channel_id, id }) => ({ channel_id, ids: [id] })),
]);

/** A message pushed by the gateway, which always names its channel and author. */
export const pushedMessageSchema = z
  .looseObject({ channel_id: snowflake, author: z.looseObject({ id: snowflake }) })
  .pipe(messageSchema);

/** An update that repeats the whole message. */
export const wholeUpdateSchema = z
  .looseObject({
    content: z.string(),
    type: z.number(),
    author: z.looseObject({ id: snowflake }),
    mentions: z.array(z.unknown()),
  })
  .pipe(messageSchema);

export type WireMedia = z.infer<typeof mediaSchema>;
export type WireEmbed = z.infer<typeof embedSchema>;
export type WireComponent = z.infer<typeof componentSchema>;
export type WirePoll = z.infer<typeof pollSchema>;
export type WireContent = z.infer<typeof contentSchema>;
export type PlainWireMessage = z.infer<typeof plainMessageSchema>;
export type WireMessage = z.infer<typeof messageSchema>;
