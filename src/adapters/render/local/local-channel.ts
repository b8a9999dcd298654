import { eventKey } from "../../../core/events/event-key.ts";
import type { FormValues } from "../../../core/protocol/form.ts";
import type {
  InboundAction,
  InboundCommand,
  InboundCompletion,
  InboundMessage,
  Person,
  PlatformDescriptor,
  ThreadRef,
} from "../../../core/protocol/platform.ts";
import type { LocalMessage } from "../../../core/store/web-threads.ts";
import { bodyOf } from "./message-body.ts";

/** Whoever may use this machine's own ways in, the page by its key and the terminal by the home, is the operator. */
export function operatorOn(platform: PlatformDescriptor, roles: readonly string[] = []): Person {
  return { id: `${platform.name}:local`, name: "operator", isBot: false, isGuest: false, isExternal: false, roles };
}

/** This machine is the one workspace of the platforms that are our own. */
const WORKSPACE = { id: "local", name: "This computer" };

/** A platform of our own has one channel. `person`: whoever acts; where it is a direct one, the only one in it. */
export interface LocalChannel {
  readonly platform: PlatformDescriptor;
  readonly channel: { readonly id: string; readonly name: string; readonly kind: "dm" | "channel" };
  readonly person: Person;
}

/** Everything typed in the place is for Deckhand. */
export function threadIn({ platform, channel }: LocalChannel, threadId: string | null): ThreadRef {
  return { platform: platform.name, workspaceId: WORKSPACE.id, channelId: channel.id, threadId };
}

/** Where there is but one person, all notes are theirs. */
export function noteFor({ channel }: LocalChannel, personId: string): { readonly to?: string } {
  return channel.kind === "dm" ? {} : { to: personId };
}

/** The key of what a person said or clicked: the same however often it is sent. */
export function keyIn({ platform }: LocalChannel, clientId: string): string {
  return eventKey(platform.name, clientId);
}

function base(
  place: LocalChannel,
  said: { readonly id: string; readonly threadId: string | null; readonly at: number },
) {
  const { id, threadId, at } = said;
  const { channel, person } = place;
  const key = keyIn(place, id);
  return { key, workspace: WORKSPACE, channel, thread: threadIn(place, threadId), person, at };
}

/** A stored message of the person as an event. The thread is called after the message that opens it. */
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

interface Asked {
  readonly clickId: string;
  readonly threadId: string | null;
  readonly at: number;
}

export function actionIn(place: LocalChannel, click: Asked & { readonly action: string }): InboundAction {
  return { ...base(place, { ...click, id: click.clickId }), kind: "action", action: click.action };
}

export function commandIn(
  place: LocalChannel,
  command: Asked & { readonly name: string; readonly args: string; readonly filled?: FormValues | undefined },
): InboundCommand {
  const { name, args, filled } = command;
  const typed = { ...base(place, { ...command, id: command.clickId }), kind: "command" as const, name, args };
  return filled === undefined ? typed : { ...typed, filled };
}

/** Nothing is stored of it: two that have one key are no harm. */
export function completionIn(
  place: LocalChannel,
  asked: Omit<Asked, "clickId"> & Pick<InboundCompletion, "command" | "option" | "typed">,
): InboundCompletion {
  const { command, option, typed } = asked;
  return { ...base(place, { ...asked, id: `complete:${asked.at}` }), kind: "completion", command, option, typed };
}
