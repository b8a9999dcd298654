import { eventKey } from "../../../core/events/event-key.ts";
import type { PlatformDescriptor } from "../../../core/platform/descriptor.ts";
import type {
  InboundAction,
  InboundCommand,
  InboundCompletion,
  InboundMessage,
} from "../../../core/platform/inbound.ts";
import type { Person, ThreadRef } from "../../../core/platform/thread.ts";
import type { FormValues } from "../../../core/protocol/form.ts";
import type { LocalMessage } from "../../../core/store/web-threads.ts";
import { bodyOf } from "./message-body.ts";

/** The operator: whoever opens the page with its key, or uses the terminal with access to the home directory. */
export function operatorOn(platform: PlatformDescriptor, roles: readonly string[] = []): Person {
  return { id: `${platform.name}:local`, name: "operator", isBot: false, isGuest: false, isExternal: false, roles };
}

/** The only workspace of the local platforms: this machine. */
const WORKSPACE = { id: "local", name: "This computer" };

/** The one channel of a local platform. `person` is whoever acts; in a direct channel, nobody else is in it. */
export interface LocalChannel {
  readonly platform: PlatformDescriptor;
  readonly channel: { readonly id: string; readonly name: string; readonly kind: "dm" | "channel" };
  readonly person: Person;
}

/** A thread of the channel; null starts a new one. */
export function threadIn({ platform, channel }: LocalChannel, threadId: string | null): ThreadRef {
  return { platform: platform.name, workspaceId: WORKSPACE.id, channelId: channel.id, threadId };
}

/** Limits a note to one person. In a direct channel all notes are theirs anyway. */
export function noteFor({ channel }: LocalChannel, personId: string): { readonly to?: string } {
  return channel.kind === "dm" ? {} : { to: personId };
}

/** The event key of a message or click, the same however often it is sent. */
export function keyIn({ platform }: LocalChannel, clientId: string): string {
  return eventKey(platform.name, clientId);
}

/** What a person did. `id`: of the message or click. */
interface PersonEvent {
  readonly id: string;
  readonly threadId: string | null;
  readonly at: number;
}

function base(place: LocalChannel, { id, threadId, at }: PersonEvent) {
  const { channel, person } = place;
  const key = keyIn(place, id);
  return { key, workspace: WORKSPACE, channel, thread: threadIn(place, threadId), person, at };
}

/** Turns a person's stored message into an event. A message that opens a thread gives the thread its id. */
export function messageIn(place: LocalChannel, message: LocalMessage): InboundMessage {
  const body = bodyOf(message);
  return {
    ...base(place, message),
    kind: "message",
    key: message.key,
    text: body.markdown,
    addressed: "dm",
    opensThread: message.id === message.threadId,
    attachments: body.files.map(({ id, name, mediaType, size }) => ({ name, mediaType, size, ref: id })),
    quoted: [],
    messageId: message.id,
  };
}

export function actionIn(place: LocalChannel, click: PersonEvent & { readonly action: string }): InboundAction {
  return { ...base(place, click), kind: "action", action: click.action };
}

export function commandIn(
  place: LocalChannel,
  command: PersonEvent & { readonly name: string; readonly args: string; readonly filled?: FormValues | undefined },
): InboundCommand {
  const { name, args, filled } = command;
  const typed = { ...base(place, command), kind: "command" as const, name, args };
  return filled === undefined ? typed : { ...typed, filled };
}

/** Completions are not stored, so two events with the same key do no harm. */
export function completionIn(
  place: LocalChannel,
  asked: Omit<PersonEvent, "id"> & Pick<InboundCompletion, "command" | "option" | "typed">,
): InboundCompletion {
  const { command, option, typed } = asked;
  return { ...base(place, { ...asked, id: `complete:${asked.at}` }), kind: "completion", command, option, typed };
}
