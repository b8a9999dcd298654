import { z } from "zod";
import { memberSchema, snowflake, userSchema } from "./person-schema.ts";

/**
 * What is read of a message. Only its id is needed: a part that is missing or has another form is as if it were not there,
 * and one odd item of a list costs no other. Names are Discord's.
 */

/** Characters of one text. A message of Discord's has at most 4,000, an embed 6,000. */
const TEXT_CHARS = 8_000;

const words = z
  .string()
  .transform((text) => text.slice(0, TEXT_CHARS).toWellFormed())
  .catch("");
/** An address that was cut leads nowhere. */
const address = z.string().max(TEXT_CHARS).catch("");
const count = z.number().catch(0);

/** The items that are of the form, at most so many. */
export function listOf<T extends z.ZodType>(item: T, most: number) {
  const every = z.array(z.unknown()).catch([]);
  return every.transform((items) =>
    items.slice(0, most).flatMap((each): z.output<T>[] => {
      const parsed = item.safeParse(each);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}

/** Undefined where it is missing, null, or of another form. */
function perhaps<T extends z.ZodType>(schema: T) {
  return schema
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
}

const mentionSchema = userSchema.extend({ member: perhaps(memberSchema) });

const attachmentSchema = z.object({
  filename: words,
  /** Its name before Discord took out what it does not allow in one. */
  title: words,
  size: count,
  url: address,
  content_type: z.string().nullish().catch(null),
  /** What its author says it shows. */
  description: words,
  /** Seconds of a voice message. */
  duration_secs: count,
});

/** A picture or a file that an embed or a component shows. */
const mediaSchema = z.object({
  url: address,
  /** Discord's own copy. */
  proxy_url: address,
  content_type: z.string().nullish().catch(null),
  /** What it shows, for who does not see it. */
  description: words,
});

const embedSchema = z.object({
  type: z.string().catch("rich"),
  provider: perhaps(z.object({ name: words })),
  title: words,
  description: words,
  url: address,
  timestamp: words,
  author: perhaps(z.object({ name: words })),
  fields: listOf(z.object({ name: words, value: words }), 25),
  footer: perhaps(z.object({ text: words })),
  image: perhaps(mediaSchema),
  thumbnail: perhaps(mediaSchema),
  /** A preview that its page lays out itself. Source: Discord docs, Component Embeds. */
  components: z.array(z.unknown()).catch([]),
});

/** A component of any type, with the fields that some have. Those within it are read as they are reached. */
export const componentSchema = z.object({
  type: z.number().catch(0),
  content: words,
  label: words,
  emoji: perhaps(z.object({ name: words })),
  placeholder: words,
  description: words,
  name: words,
  size: count,
  url: address,
  media: perhaps(mediaSchema),
  file: perhaps(mediaSchema),
  items: listOf(z.object({ description: words, media: mediaSchema }), 10),
  options: listOf(z.object({ label: words }), 25),
  components: z.array(z.unknown()).catch([]),
  accessory: z.unknown().optional(),
});

const media = z.object({ text: words, emoji: perhaps(z.object({ name: words })) });
const NO_RESULTS = { answer_counts: [], is_finalized: false };
const pollSchema = z.object({
  question: media.catch({ text: "", emoji: undefined }),
  answers: listOf(z.object({ answer_id: count, poll_media: media }), 20),
  results: z
    .object({
      answer_counts: listOf(z.object({ id: z.number(), count }), 20),
      is_finalized: z.boolean().catch(false),
    })
    .catch(NO_RESULTS),
});

const contentShape = {
  content: words,
  flags: z.coerce.number().catch(0),
  embeds: listOf(embedSchema, 10),
  attachments: listOf(attachmentSchema, 20),
  mentions: listOf(mentionSchema, 100),
  /** Channels of another server, in what a channel follows. */
  mention_channels: listOf(z.object({ id: snowflake, name: words }), 100),
  components: z.array(z.unknown()).catch([]),
  sticker_items: listOf(z.object({ name: words }), 5),
  /** Sounds that its text plays, as `<sound:guild:id>`. Discord's docs leave the field out. */
  soundboard_sounds: listOf(z.object({ sound_id: snowflake, name: words }), 10),
  poll: perhaps(pollSchema),
};
const contentSchema = z.object(contentShape);

/** Who used the command that a message answers, and its name. */
const interactionSchema = z.object({ name: words, user: perhaps(userSchema) });

/** Whoever wrote a message whose author cannot be read: nobody who is answered. */
const NOBODY = { id: "0", username: "someone", bot: true };

const plainMessageSchema = z.object({
  ...contentShape,
  id: snowflake,
  channel_id: snowflake.catch("0"),
  guild_id: perhaps(snowflake),
  /** -1 stands for one that is no number. */
  type: z.number().catch(-1),
  author: userSchema.catch(NOBODY),
  member: perhaps(memberSchema),
  /** One that cannot be read is a webhook's all the same. */
  webhook_id: snowflake.nullish().catch("0"),
  nonce: perhaps(z.union([z.string(), z.number()])),
  mention_roles: listOf(snowflake, 100),
  interaction: perhaps(interactionSchema),
  interaction_metadata: perhaps(interactionSchema),
  message_reference: perhaps(z.object({ channel_id: perhaps(snowflake), message_id: perhaps(snowflake) })),
  /** Forwarded messages, as they were when they were forwarded. */
  message_snapshots: listOf(z.object({ message: contentSchema.extend({ timestamp: words }) }), 5),
});

export const messageSchema = plainMessageSchema.extend({
  /** The message this one replies to; null when it was deleted. */
  referenced_message: plainMessageSchema.nullish().catch(undefined),
});

/** That a message was edited: by its author, where it says when; else Discord has added a preview, or the like. */
export const editSchema = z.object({
  id: snowflake,
  channel_id: snowflake,
  guild_id: perhaps(snowflake),
  edited_timestamp: z.iso.datetime({ offset: true }),
});

/** That a message was deleted, or many of a channel at once; whose they were it does not say. */
export const deletionSchema = z.union([
  z.object({ channel_id: snowflake, ids: z.array(snowflake) }),
  z.object({ channel_id: snowflake, id: snowflake }).transform(({ channel_id, id }) => ({ channel_id, ids: [id] })),
]);

/** What the gateway pushes is somebody's, somewhere. */
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

/** Source: Discord docs, Message Types. The others are notices of Discord's. */
export const MESSAGE_TYPE = {
  default: 0,
  nameChanged: 4,
  threadCreated: 18,
  reply: 19,
  commandAnswer: 20,
  threadStarter: 21,
  menuAnswer: 23,
  autoModeration: 24,
  stageStarted: 27,
  stageEnded: 28,
  stageTopic: 31,
  pollResult: 46,
} as const;

/** Source: Discord docs, Message Flags. */
export const IS_VOICE_MESSAGE = 1 << 13;
