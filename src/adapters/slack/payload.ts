import type { z } from "zod";
import type { InboundDeletion, InboundEvent, InboundMessage } from "../../core/platform/inbound.ts";
import { isForThisApp } from "./connection/origin.ts";
import { inboundForm } from "./forms.ts";
import {
  addressedOf,
  inboundAction,
  inboundCommand,
  inboundHomeAction,
  inboundMessage,
  isFromPerson,
  messageKey,
  newOrEditedMessage,
} from "./inbound.ts";
import { inboundShortcut } from "./message/shortcut.ts";
import {
  assistantStarted,
  channelJoined,
  homeOpened,
  reactionAdded,
  type SlackScope,
  sessionStopped,
} from "./surfaces.ts";
import type { Identity } from "./web.ts";
import {
  assistantStartedSchema,
  blockActionsSchema,
  changeSchema,
  contextChangedSchema,
  deletionSchema,
  eventCallbackSchema,
  formSubmissionSchema,
  homeActionsSchema,
  homeOpenedSchema,
  joinedSchema,
  messageEventSchema,
  messageShortcutSchema,
  messageThreadSchema,
  reactionSchema,
  slashCommandSchema,
  stoppedSchema,
  tombstoneSchema,
  tsToMs,
} from "./wire.ts";

/**
 * Converts a payload to an event, or to null if it does not concern the bot or is malformed. Both are acknowledged,
 * since Slack would only send the same again. Rejects if Slack should send it again.
 */
export async function readPayload(payload: unknown, deps: SlackScope): Promise<InboundEvent | InboundDeletion | null> {
  if (!isForThisApp(payload, deps.identity)) {
    deps.log.warn({ teamId: deps.identity.teamId }, "slack_request_of_another");
    return null;
  }
  const envelope = eventCallbackSchema.safeParse(payload);
  if (envelope.success) return readEvent(envelope.data.event, deps);
  const fields = typeof payload === "object" && payload !== null ? payload : {};
  const type = "type" in fields ? fields.type : undefined;
  switch (type) {
    case "block_actions": {
      const home = homeActionsSchema.safeParse(fields);
      return home.success
        ? inboundHomeAction(home.data, deps)
        : read({ schema: blockActionsSchema, as: inboundAction }, fields, deps);
    }
    case "view_submission":
      return read({ schema: formSubmissionSchema, as: inboundForm }, fields, deps);
    case "message_action":
      return read({ schema: messageShortcutSchema, as: inboundShortcut }, fields, deps);
    default:
      if ("command" in fields) return read({ schema: slashCommandSchema, as: inboundCommand }, fields, deps);
      if (type === undefined || type === "event_callback")
        deps.log.warn({ keys: Object.keys(fields) }, "slack_payload_malformed");
      else deps.log.debug({ type }, "slack_payload_ignored");
      return null;
  }
}

/** How long after an edit a change without the previous text may still be that edit. In milliseconds. */
const EDITED_LATELY_MS = 10 * 60_000;

/** Key of the thread of a message event, so that each thread's events are handled in order; null otherwise. */
export function threadKeyOf(payload: unknown): string | null {
  const parsed = messageThreadSchema.safeParse(payload);
  if (!parsed.success) return null;
  const { channel, message: changed, previous_message: deleted, ...came } = parsed.data.event;
  const { ts, thread_ts: root = ts } = changed ?? deleted ?? came;
  return `${channel} ${root}`;
}

async function readEvent(
  event: { readonly type: string; readonly subtype?: string | undefined },
  deps: SlackScope,
): Promise<InboundEvent | InboundDeletion | null> {
  switch (event.type) {
    case "message":
    case "app_mention":
      // Changes and deletions nest the message that they concern; only what is needed of them is validated.
      if (event.subtype === "message_deleted" || tombstoneSchema.safeParse(event).success)
        return readDeletion(event, deps);
      if (event.subtype === "message_changed") return readChange(event, deps);
      return read(
        { schema: messageEventSchema, as: event.type === "app_mention" ? newOrEditedMessage : inboundMessage },
        event,
        deps,
      );
    case "member_joined_channel":
      return read({ schema: joinedSchema, as: channelJoined }, event, deps);
    case "app_home_opened":
      return read({ schema: homeOpenedSchema, as: homeOpened }, event, deps);
    case "app_context_changed":
      return read({ schema: contextChangedSchema, as: contextChanged }, event, deps);
    case "assistant_thread_started":
      return read({ schema: assistantStartedSchema, as: assistantStarted }, event, deps);
    case "agent_session_stopped":
      return read({ schema: stoppedSchema, as: sessionStopped }, event, deps);
    case "reaction_added": {
      const added = reactionSchema.safeParse(event);
      return added.success ? reactionAdded(added.data, deps) : null;
    }
    default:
      deps.log.debug({ type: event.type }, "slack_event_ignored");
      return null;
  }
}

/** Reads an edit. Link previews and the bot's own edits also change messages; only changed text of a person counts. */
async function readChange(event: object, deps: SlackScope): Promise<InboundMessage | null> {
  const change = changeSchema.safeParse(event).data;
  if (change === undefined || change.message.user === deps.identity.userId) return null;
  const { message, ts, previous_message: previous, channel, channel_type } = change;
  // Without the previous text, a change soon after an edit is taken for the edit; the core knows those it has seen.
  const isOld = tsToMs(ts) - tsToMs(message.edited.ts) > EDITED_LATELY_MS;
  if (previous === undefined ? isOld : (message.text ?? "") === (previous.text ?? "")) return null;
  const whole = messageEventSchema.safeParse({ ...message, type: "message", channel, channel_type }).data;
  return whole === undefined ? null : newOrEditedMessage(whole, deps);
}

/** Reads a deletion; null if the message was the bot's own, another bot's, or the placeholder of a deleted one. */
function readDeletion(event: object, { identity }: SlackScope): InboundDeletion | null {
  const deletion = deletionSchema.safeParse(event).data;
  const ts = deletion?.deleted_ts ?? deletion?.message?.ts;
  if (deletion === undefined || ts === undefined) return null;
  const { channel, channel_type, previous_message: previous } = deletion;
  const was = messageEventSchema.safeParse({ ...previous, type: "message", channel, channel_type }).data;
  if (was !== undefined && !isFromPerson(was, identity)) return null;
  const isAddressed = was !== undefined && ["dm", "mention"].includes(addressedOf(was, identity.userId));
  const key = messageKey(identity, channel, ts);
  return { kind: "deletion", messages: [{ key, at: tsToMs(ts), ...(isAddressed ? { isAddressed } : {}) }] };
}

interface Reading<T> {
  readonly schema: z.ZodType<T>;
  readonly as: (value: T, deps: SlackScope) => Promise<InboundEvent | null>;
}

/** Null, with a warning in the log, if the value does not have the documented form. */
async function read<T>({ schema, as }: Reading<T>, value: unknown, deps: SlackScope): Promise<InboundEvent | null> {
  const result = schema.safeParse(value);
  if (result.success) return as(result.data, deps);
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  deps.log.warn({ problems }, "slack_payload_malformed");
  return null;
}

async function contextChanged(
  { user, context }: z.infer<typeof contextChangedSchema>,
  { views }: SlackScope,
): Promise<null> {
  views.changed(user, context);
  return null;
}

/** The author of a message whose details could not be looked up. */
export type Addressee = Pick<InboundMessage, "key" | "thread"> & { readonly person: { readonly id: string } };

/** The author of a message addressed to the bot, judged by its payload alone; null for other payloads. */
export function addressedMessage(payload: unknown, identity: Identity): Addressee | null {
  const envelope = eventCallbackSchema.safeParse(payload);
  const message = messageEventSchema.safeParse(envelope.data?.event);
  if (!message.success || message.data.user === undefined) return null;
  const { channel, thread_ts, ts, user } = message.data;
  if (!["dm", "mention"].includes(addressedOf(message.data, identity.userId))) return null;
  return {
    key: messageKey(identity, channel, ts),
    thread: { platform: "slack", workspaceId: identity.teamId, channelId: channel, threadId: thread_ts ?? ts },
    person: { id: `slack:${user}` },
  };
}

/** Only slash commands take text in the response itself. */
export function isSlashCommand(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null && "command" in payload;
}
