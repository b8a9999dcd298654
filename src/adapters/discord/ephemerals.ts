import { BoundedMap } from "../../core/bounded-map.ts";
import { ownId } from "../../core/events/event-key.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import { publicMessage } from "../../core/platform/replies.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { DM_WORKSPACE } from "./channels.ts";
import { isDiscordError } from "./errors.ts";
import { formatEdit, formatEphemeral } from "./format.ts";
import { redirectedButtons } from "./interactions/direct-message-redirect.ts";
import { INTERACTION_TOKEN_MS } from "./limits.ts";
import { privateParts } from "./message/uploads.ts";
import type { DiscordRest, InteractionAddress } from "./rest.ts";
import { channelOf, type Threads } from "./threads.ts";

const MAX_TRACKED_INTERACTIONS = 1_000;

const CLOSED_DMS =
  "I have an answer only for you, but your direct messages are off for this server. Allow them under " +
  "Server → Privacy Settings and ask again, or use a slash command, which I answer privately.";

export interface Ephemerals {
  /** Remembers an answered interaction, through which the person can be sent private messages for 15 minutes. */
  remember(thread: ThreadRef, personId: string, interaction: AnsweredInteraction): void;
  post(thread: ThreadRef, personId: string, message: OutgoingMessage): Promise<void>;
}

export interface AnsweredInteraction {
  readonly at: InteractionAddress;
  /** Resolves once Discord has accepted the answer; rejects if it does not. */
  readonly answered: Promise<void>;
}

interface EphemeralParts {
  readonly rest: DiscordRest;
  readonly threads: Threads;
  readonly clock: Clock;
  readonly log: Log;
}

/** Discord shows a message to one person only as the answer to an interaction; all others become direct messages. */
export function createEphemerals({ rest, threads, clock, log }: EphemeralParts): Ephemerals {
  const interactions = new BoundedMap<string, AnsweredInteraction & { readonly expiresAt: number }>(
    MAX_TRACKED_INTERACTIONS,
  );
  const explained = new BoundedMap<string, true>(MAX_TRACKED_INTERACTIONS);
  const slot = (thread: ThreadRef, personId: string) => `${channelOf(thread)} ${personId}`;

  const throughInteraction = async (thread: ThreadRef, personId: string, message: OutgoingMessage) => {
    const known = interactions.get(slot(thread, personId));
    if (known === undefined || known.expiresAt <= clock.now()) return false;
    try {
      await known.answered;
      await rest.followUp(known.at, { body: formatEphemeral(message), files: message.files });
      return true;
    } catch (error) {
      interactions.delete(slot(thread, personId));
      log.info({ err: error }, "discord.interaction_token_refused");
      return false;
    }
  };

  /** Tells the person publicly, once, how to receive private messages, without revealing what they were about. */
  const explainClosedDms = async (thread: ThreadRef, personId: string) => {
    const channelId = threads.named(thread);
    if (thread.workspaceId === DM_WORKSPACE.id || explained.has(`${channelId} ${personId}`)) return;
    explained.set(`${channelId} ${personId}`, true);
    const body = formatEdit(publicMessage(`<@${ownId(personId)}> ${CLOSED_DMS}`));
    await rest.createMessage(channelId, { body, files: [] }, "Send Messages");
  };

  const postPart = async (thread: ThreadRef, personId: string, message: OutgoingMessage) => {
    if (await throughInteraction(thread, personId, message)) return;
    try {
      const channelId = await rest.openDm(ownId(personId));
      const body = formatEdit(
        channelId === thread.channelId ? message : withThreadNote(message, thread, threads.named(thread)),
      );
      await rest.createMessage(channelId, { body, files: message.files }, "Send Messages");
    } catch (error) {
      if (
        !isDiscordError(error, "CannotSendMessagesToThisUser", "CannotSendMessagesToThisUserDueToHavingNoMutualGuilds")
      )
        throw error;
      log.info({ personId }, "discord.takes_no_direct_messages");
      await explainClosedDms(thread, personId);
    }
  };

  return {
    remember: (thread, personId, interaction) =>
      interactions.set(slot(thread, personId), { ...interaction, expiresAt: clock.now() + INTERACTION_TOKEN_MS }),
    post: async (thread, personId, message) => {
      for (const part of privateParts(message)) await postPart(thread, personId, part);
    },
  };
}

function withThreadNote(message: OutgoingMessage, thread: ThreadRef, named: string): OutgoingMessage {
  const about = `About your message in <#${named}>`;
  const footer = message.footer === undefined ? about : `${message.footer}\n${about}`;
  return { ...message, footer, buttons: redirectedButtons(message, thread) };
}
