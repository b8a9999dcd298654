import type { JobRequest } from "../../core/jobs/job-control.ts";
import type { FormValues } from "../../core/protocol/form.ts";
import type {
  InboundAction,
  InboundCommand,
  InboundCompletion,
  InboundMessage,
  Person,
  ThreadRef,
} from "../../core/protocol/platform.ts";
import { bodyOf } from "./format.ts";
import type { WebMessage } from "./threads/thread-store.ts";
import { type ClientFrame, clientFrameSchema } from "./wire.ts";

/** The page has one workspace and one channel, and whoever holds its token is the one person. */
const WORKSPACE = { id: "local", name: "This computer" };
const CHANNEL = { id: "main", name: "web", kind: "dm" } as const;
export const PERSON_ID = "web:local";

const PERSON: Person = {
  id: PERSON_ID,
  name: "operator",
  isBot: false,
  isGuest: false,
  isExternal: false,
  roles: [],
};

export type ParsedFrame =
  | { readonly ok: true; readonly frame: ClientFrame }
  | { readonly ok: false; readonly reason: string };

export function parseFrame(text: string): ParsedFrame {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, reason: "That was not JSON." };
  }
  const parsed = clientFrameSchema.safeParse(json);
  if (parsed.success) return { ok: true, frame: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, reason: `Not understood: ${issue?.path.join(".") || "frame"}: ${issue?.message ?? "invalid"}.` };
}

export function threadRef(threadId: string | null): ThreadRef {
  return { platform: "web", workspaceId: WORKSPACE.id, channelId: CHANNEL.id, threadId };
}

/** The key of a person's message: the same however often the page sends it. */
export function messageKey(clientId: string): string {
  return `web:${clientId}`;
}

/** A stored message of the person as an event. The thread is called after the message that opens it. */
export function inboundMessage(message: WebMessage): InboundMessage {
  const body = bodyOf(message);
  return {
    kind: "message",
    key: message.key,
    workspace: WORKSPACE,
    channel: CHANNEL,
    thread: threadRef(message.threadId),
    person: PERSON,
    at: message.at,
    text: body.markdown,
    addressed: "dm",
    opensThread: message.id === message.threadId,
    attachments: body.files.map(({ id, name, mediaType, size }) => ({ name, mediaType, size, ref: id })),
    quoted: [],
    messageId: message.id,
  };
}

export function inboundAction(click: {
  readonly clickId: string;
  readonly threadId: string;
  readonly action: string;
  readonly at: number;
}): InboundAction {
  return {
    kind: "action",
    key: messageKey(click.clickId),
    workspace: WORKSPACE,
    channel: CHANNEL,
    thread: threadRef(click.threadId),
    person: PERSON,
    at: click.at,
    action: click.action,
  };
}

export function inboundCommand(command: {
  readonly clickId: string;
  readonly threadId: string | null;
  readonly name: string;
  readonly args: string;
  readonly filled?: FormValues | undefined;
  readonly at: number;
}): InboundCommand {
  return {
    kind: "command",
    key: messageKey(command.clickId),
    workspace: WORKSPACE,
    channel: CHANNEL,
    thread: threadRef(command.threadId),
    person: PERSON,
    at: command.at,
    name: command.name,
    args: command.args,
    ...(command.filled === undefined ? {} : { filled: command.filled }),
  };
}

/** Nothing is stored of it: two that have one key are no harm. */
export function inboundCompletion(asked: {
  readonly threadId: string | null;
  readonly command: string;
  readonly option: readonly string[];
  readonly typed: string;
  readonly at: number;
}): InboundCompletion {
  const { threadId, command, option, typed, at } = asked;
  return {
    kind: "completion",
    key: messageKey(`complete:${at}`),
    workspace: WORKSPACE,
    channel: CHANNEL,
    thread: threadRef(threadId),
    person: PERSON,
    at,
    command,
    option,
    typed,
  };
}

/** What the page itself asks of the jobs. */
export function jobRequest(threadId: string | null, at: number): JobRequest {
  return { person: PERSON, thread: threadRef(threadId), at };
}
