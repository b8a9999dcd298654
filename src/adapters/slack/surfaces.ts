import type { z } from "zod";
import { eventKey } from "../../core/events/event-key.ts";
import type { InboundCommand, InboundMessage, InboundSurface } from "../../core/platform/inbound.ts";
import type { Person } from "../../core/platform/thread.ts";
import type { Log } from "../../core/protocol/log.ts";
import { channelKind, type InboundDeps, placeOf } from "./inbound.ts";
import { inboundAboutMessage } from "./message/about-message.ts";
import { messageAt } from "./message/history.ts";
import type { Identity, SlackWeb } from "./web.ts";
import {
  type assistantStartedSchema,
  type homeOpenedSchema,
  type joinedSchema,
  type reactionSchema,
  type stoppedSchema,
  tsToMs,
} from "./wire.ts";

/** The event that the bot was added to a channel; null if somebody else was. */
export async function channelJoined(
  event: z.infer<typeof joinedSchema>,
  deps: InboundDeps,
): Promise<InboundSurface | null> {
  const { identity, directory } = deps;
  const { user, channel, inviter, event_ts: ts } = event;
  if (user !== identity.userId) return null;
  return {
    kind: "surface",
    surface: "channel",
    key: eventKey("slack", "joined", channel, ts),
    ...(await placeOf({ channel, kind: channelKind(channel), threadId: null }, deps)),
    person: inviter === undefined ? botPerson(identity) : await directory.person(inviter),
    at: tsToMs(ts),
  };
}

function botPerson({ userId }: Identity): Person {
  return { id: `slack:${userId}`, name: "Deckhand", isBot: true, isGuest: false, isExternal: false, roles: [] };
}

/** The event that the home tab was opened, or the pane, which opens on the messages tab; null for other tabs. */
export async function homeOpened(
  { user, channel, tab, context, event_ts: ts }: z.infer<typeof homeOpenedSchema>,
  deps: InboundDeps,
): Promise<InboundSurface | null> {
  if (context !== undefined) deps.views.changed(user, context);
  if (tab !== "home" && tab !== "messages") return null;
  return {
    kind: "surface",
    surface: tab === "home" ? "home" : "assistant",
    key: eventKey("slack", "home", user, ts),
    ...(await placeOf({ channel, kind: "dm", threadId: null }, deps)),
    person: await deps.directory.person(user),
    at: tsToMs(ts),
  };
}

/** The event that a person began a thread in the assistant pane, which is one of their direct messages with the bot. */
export async function assistantStarted(
  { assistant_thread: started, event_ts: ts }: z.infer<typeof assistantStartedSchema>,
  deps: InboundDeps,
): Promise<InboundSurface> {
  return {
    kind: "surface",
    surface: "assistant",
    key: eventKey("slack", "assistant", started.channel_id, started.thread_ts),
    ...(await placeOf({ channel: started.channel_id, kind: "dm", threadId: started.thread_ts }, deps)),
    person: await deps.directory.person(started.user_id),
    at: tsToMs(ts),
  };
}

/** Slack's stop button, treated as a typed `stop` command. */
export async function sessionStopped(
  { user, channel, thread_ts: threadId, event_ts: ts }: z.infer<typeof stoppedSchema>,
  deps: InboundDeps,
): Promise<InboundCommand> {
  return {
    kind: "command",
    key: eventKey("slack", "stopped", channel, threadId, ts),
    ...(await placeOf({ channel, kind: channelKind(channel), threadId }, deps)),
    person: await deps.directory.person(user),
    at: tsToMs(ts),
    name: "stop",
    args: "",
  };
}

/** What the parts of the adapter share while it is connected. */
export interface SlackScope extends InboundDeps {
  readonly web: SlackWeb;
  /** Names of the emoji that point out a message to the bot. */
  readonly reactions: ReadonlySet<string>;
  readonly log: Log;
}

/** A reaction that points out a message to the bot; null for others, for the bot's own, and on the bot's messages. */
export async function reactionAdded(
  { user, reaction, item, item_user: author, event_ts: ts }: z.infer<typeof reactionSchema>,
  deps: SlackScope,
): Promise<InboundMessage | null> {
  const { identity, directory, reactions } = deps;
  // `robot_face::skin-tone-2`
  const name = reaction.split("::", 1)[0] ?? reaction;
  if (item.type !== "message" || !reactions.has(name)) return null;
  if (user === identity.userId || author === identity.userId) return null;
  const person = await directory.person(user);
  if (person.isBot) return null;
  const { channel } = item;
  // Nothing is read for a person who is not served; the core tells them so.
  const message = deps.serves(person) ? await messageAt(deps, channel, item.ts) : { ts: item.ts };
  if (message === null) return null;
  const key = eventKey("slack", "reaction", channel, item.ts, name, user);
  return inboundAboutMessage(message, { key, person, channel, at: tsToMs(ts) }, deps);
}
