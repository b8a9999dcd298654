import type { z } from "zod";
import type { Log } from "../../core/protocol/log.ts";
import type { InboundEvent, InboundMessage } from "../../core/protocol/platform.ts";
import { isOurs } from "./connection/origin.ts";
import { inboundForm } from "./forms.ts";
import { inboundAction, inboundCommand, inboundHomeAction, inboundMessage, messageKey } from "./inbound.ts";
import { inboundShortcut } from "./message/shortcut.ts";
import { mentionedIn } from "./message/text.ts";
import { directChannel } from "./private/ephemeral.ts";
import { assistantStarted, channelJoined, homeOpened, reactionAdded, type SlackScope } from "./surfaces.ts";
import type { Identity } from "./web.ts";
import {
  assistantStartedSchema,
  blockActionsSchema,
  contextChangedSchema,
  eventCallbackSchema,
  formSubmissionSchema,
  homeActionsSchema,
  homeOpenedSchema,
  joinedSchema,
  messageEventSchema,
  messageShortcutSchema,
  reactionSchema,
  saidSchema,
  slashCommandSchema,
} from "./wire.ts";

/**
 * What Slack sent as an event of ours, or null for what concerns us not and for what cannot be read:
 * both are acknowledged, since Slack would only send the same again. Rejects when it should be sent again.
 */
export async function readPayload(payload: unknown, deps: SlackScope): Promise<InboundEvent | null> {
  if (!isOurs(payload, deps.identity)) {
    deps.log.warn({ teamId: deps.identity.teamId }, "slack_request_of_another");
    return null;
  }
  const envelope = eventCallbackSchema.safeParse(payload);
  if (envelope.success) return readEvent(envelope.data.event, deps);
  const fields = typeof payload === "object" && payload !== null ? payload : {};
  if ("type" in fields && fields.type === "block_actions") {
    const home = homeActionsSchema.safeParse(fields);
    if (home.success) {
      return inboundHomeAction(home.data, { ...deps, directChannel: (userId) => directChannel(deps.web, userId) });
    }
    const body = parsed(blockActionsSchema, fields, deps.log);
    return body === null ? null : inboundAction(body, deps);
  }
  if ("type" in fields && fields.type === "view_submission") {
    const submission = parsed(formSubmissionSchema, fields, deps.log);
    return submission === null ? null : inboundForm(submission, deps);
  }
  if ("type" in fields && fields.type === "message_action") {
    const shortcut = parsed(messageShortcutSchema, fields, deps.log);
    return shortcut === null ? null : inboundShortcut(shortcut, deps);
  }
  if ("command" in fields) {
    const body = parsed(slashCommandSchema, fields, deps.log);
    return body === null ? null : inboundCommand(body, deps);
  }
  const type = "type" in fields ? fields.type : undefined;
  if (type === undefined || type === "event_callback")
    deps.log.warn({ keys: Object.keys(fields) }, "slack_payload_malformed");
  else deps.log.debug({ type }, "slack_payload_ignored");
  return null;
}

/** The thread that somebody said something in: what is said in one is received in this order. Null for anything else. */
export function saidIn(payload: unknown): string | null {
  const said = saidSchema.safeParse(payload);
  if (!said.success) return null;
  const { channel, ts, thread_ts: root = ts } = said.data.event;
  return `${channel} ${root}`;
}

async function readEvent(
  event: { readonly type: string; readonly subtype?: string | undefined },
  deps: SlackScope,
): Promise<InboundEvent | null> {
  const { log } = deps;
  switch (event.type) {
    case "message":
    case "app_mention":
      return readMessage(event, deps);
    case "member_joined_channel":
      return read(parsed(joinedSchema, event, log), (joined) => channelJoined(joined, deps));
    case "app_home_opened":
      return read(parsed(homeOpenedSchema, event, log), (opened) => homeOpened(opened, deps));
    case "app_context_changed": {
      const changed = parsed(contextChangedSchema, event, log);
      if (changed !== null) deps.views.changed(changed.user, changed.context);
      return null;
    }
    case "assistant_thread_started":
      return read(parsed(assistantStartedSchema, event, log), (started) => assistantStarted(started, deps));
    case "reaction_added":
      return read(reactionSchema.safeParse(event).data ?? null, (added) => reactionAdded(added, deps));
    default:
      log.debug({ type: event.type }, "slack_event_ignored");
      return null;
  }
}

async function read<T>(event: T | null, as: (event: T) => Promise<InboundEvent | null>): Promise<InboundEvent | null> {
  return event === null ? null : as(event);
}

async function readMessage(
  event: { readonly subtype?: string | undefined },
  deps: SlackScope,
): Promise<InboundEvent | null> {
  // Edits and deletions nest the message they are about; their shape is not ours to judge.
  if (event.subtype === "message_changed" || event.subtype === "message_deleted") return null;
  const message = parsed(messageEventSchema, event, deps.log);
  return message === null ? null : inboundMessage(message, deps);
}

/** Whom a message is from that Slack did not let us look up. */
export type Addressee = Pick<InboundMessage, "key" | "thread"> & { readonly person: { readonly id: string } };

/** Who said something to us, as far as the payload alone tells; null when nobody did. */
export function addressedMessage(payload: unknown, identity: Identity): Addressee | null {
  const envelope = eventCallbackSchema.safeParse(payload);
  const message = messageEventSchema.safeParse(envelope.data?.event);
  if (!message.success || message.data.user === undefined) return null;
  const { channel, channel_type, text, thread_ts, ts, user } = message.data;
  const isDm = channel_type === "im" || channel.startsWith("D");
  if (!isDm && !mentionedIn(text ?? "").includes(identity.userId)) return null;
  return {
    key: messageKey(identity, channel, ts),
    thread: { platform: "slack", workspaceId: identity.teamId, channelId: channel, threadId: thread_ts ?? ts },
    person: { id: `slack:${user}` },
  };
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, log: Log): T | null {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  log.warn({ problems }, "slack_payload_malformed");
  return null;
}

/** Only these take words in the answer itself. */
export function isSlashCommand(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null && "command" in payload;
}
