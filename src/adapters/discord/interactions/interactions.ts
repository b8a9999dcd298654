import { ApplicationCommandType, InteractionResponseType, InteractionType } from "discord.js";
import { BoundedMap } from "../../../core/bounded-map.ts";
import { ownId } from "../../../core/events/event-key.ts";
import type { InboundAction, InboundCommand, InboundMessage, Receipt } from "../../../core/platform/inbound.ts";
import type { OutgoingMessage } from "../../../core/platform/outgoing.ts";
import { privateMessage } from "../../../core/platform/replies.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import { privateAnswer } from "../../render/private-answer.ts";
import { formatEphemeral } from "../format.ts";
import {
  actorOf,
  type ChannelContext,
  inboundAction,
  inboundCommand,
  inboundMenuCommand,
  type MessageContext,
} from "../inbound.ts";
import { membershipIn } from "../membership.ts";
import { withReferencedMessage } from "../message/referenced-message.ts";
import type { Names } from "../message/text.ts";
import { privateParts } from "../message/uploads.ts";
import { type DiscordScope, expectThread } from "../messages.ts";
import type { InteractionAddress } from "../rest.ts";
import { interactionSchema, type WireInteraction, type WireInteractionOf } from "../wire.ts";
import { choicesFor } from "./completing.ts";
import { type RedirectedThread, readRedirect } from "./direct-message-redirect.ts";
import { inboundForm, modalOf } from "./forms.ts";

/**
 * Handles clicks and slash commands: stores them first, then answers. Discord waits 3 s; if the answer comes later, the
 * interaction is gone, and the answer is sent as a direct message. What was stored stays stored.
 */
export function createInteractions(options: DiscordScope): (data: unknown) => Promise<void> {
  const retryDialogs = new BoundedMap<string, object>(DIALOGS);
  return async (data) => {
    const parsed = interactionSchema.safeParse(data);
    if (!parsed.success) {
      options.log.warn({ issues: parsed.error.issues.slice(0, 3) }, "discord.interaction_not_understood");
      return;
    }
    const { interaction, redirect } = readRedirect(parsed.data);
    const dialog =
      interaction.type === InteractionType.MessageComponent ? retryDialogs.get(interaction.data.custom_id) : undefined;
    if (dialog !== undefined) {
      await options.rest.respondModal(addressOf(interaction), dialog);
      return;
    }
    const { channel_id: channelId, channel, guild_id: guildId } = interaction;
    const place =
      redirect === null
        ? await options.channels.of(channelId, guildId ?? undefined, channel ?? undefined)
        : await options.channels.ofRedirect(redirect);
    if (redirect !== null && !(await isStillThere(interaction, place, options))) {
      await options.rest.respond(addressOf(interaction), InteractionResponseType.ChannelMessageWithSource, {
        body: formatEphemeral(GONE),
        files: [],
      });
      return;
    }
    const known = await withRoles(await withTarget(interaction, options), options);
    if (known.type === InteractionType.ApplicationCommandAutocomplete) {
      await complete(known, place, options);
      return;
    }
    const event = eventOf(known, { place, names: await namesFor(known, options), serves: options.channels.serves });
    if (event === null) return;
    if (event.kind === "message") expectThread(options, place, event);
    await respond(options, {
      interaction: known,
      event,
      receipt: await receive(options, event),
      retryDialogs,
      redirect,
    });
  };
}

const GONE = privateMessage("This button no longer works.");

/** Whether the person is still in the private thread that a direct message is about; the core checks the channel. */
async function isStillThere(
  interaction: WireInteraction,
  { workspace, channel, threadId }: ChannelContext,
  { client, log }: DiscordScope,
): Promise<boolean> {
  const who = actorOf(interaction);
  if (who === null || threadId === null) return who !== null;
  try {
    const asked = { channelId: channel.id, workspaceId: workspace.id, threadId, userId: ownId(who.id) };
    // The thread may not exist yet, or no longer.
    return (await membershipIn(client, asked))?.isMember ?? true;
  } catch (error) {
    log.warn({ err: error, channelId: channel.id }, "discord.membership_unknown");
    return false;
  }
}

/** Answers a completion. Discord refuses late answers, which is not a failure. */
async function complete(
  interaction: WireInteractionOf<InteractionType.ApplicationCommandAutocomplete>,
  place: ChannelContext,
  { rest, receive, log }: DiscordScope,
): Promise<void> {
  const choices = await choicesFor(interaction, place, receive);
  try {
    await rest.respondChoices(addressOf(interaction), choices);
  } catch (error) {
    log.info({ code: toAppError(error).code }, "discord.completion_not_answered");
  }
}

/** Adds the message that the target of a menu command replies to. */
async function withTarget(interaction: WireInteraction, options: DiscordScope): Promise<WireInteraction> {
  if (
    interaction.type !== InteractionType.ApplicationCommand ||
    interaction.data.type !== ApplicationCommandType.Message
  )
    return interaction;
  const { data } = interaction;
  const target = data.resolved.messages[data.target_id];
  if (target === undefined) return interaction;
  const messages = { [data.target_id]: await withReferencedMessage(target, options) };
  return { ...interaction, data: { ...data, resolved: { messages } } };
}

/** The names needed for the message on which a menu command was used. */
function namesFor(interaction: WireInteraction, { namesIn }: DiscordScope): Promise<Names> {
  const { data, guild_id: guildId } = interaction;
  return namesIn("resolved" in data ? Object.values(data.resolved.messages) : [], guildId ?? undefined);
}

type InteractionEvent = InboundAction | InboundCommand | InboundMessage;

function eventOf(
  interaction: Exclude<WireInteraction, { type: InteractionType.ApplicationCommandAutocomplete }>,
  context: MessageContext,
): InteractionEvent | null {
  if (interaction.type === InteractionType.MessageComponent) return inboundAction(interaction, context.place);
  if (interaction.type === InteractionType.ModalSubmit) return inboundForm(interaction, context.place);
  return inboundMenuCommand(interaction, context) ?? inboundCommand(interaction, context.place);
}

/** Adds to an interaction in a direct message the person's roles in all servers shared with the bot. */
async function withRoles(interaction: WireInteraction, { memberAcrossGuilds }: DiscordScope): Promise<WireInteraction> {
  const { user } = interaction;
  const member = user && (await memberAcrossGuilds(user.id));
  return user && member ? { ...interaction, member: { ...member, user } } : interaction;
}

/** Passes on an event. If it could not be stored, tells the person so, since Discord would only show that it failed. */
async function receive(options: DiscordScope, event: InteractionEvent): Promise<Receipt> {
  try {
    return await options.receive(event);
  } catch (error) {
    options.log.error({ err: error, key: event.key }, "discord.interaction_not_received");
    return { type: "refused", reason: "✗ I couldn't process that just now. Try again in a moment." };
  }
}

/** A confirmation, because Discord shows no trace of a command except its answer; null for a click. */
function confirmationOf(event: InteractionEvent): OutgoingMessage | null {
  if (event.kind === "action") return null;
  if (event.kind === "command") return privateMessage(`✓ /${event.name}`);
  const { threadId } = event.thread;
  return privateMessage(threadId === null ? "✓ I'm answering here." : `✓ I'm answering in <#${threadId}>.`);
}

/** Maximum number of dialogs kept for correction. The message that offers a dialog repeats its values, too. */
const DIALOGS = 200;

interface ResponseArgs {
  readonly interaction: Exclude<WireInteraction, { type: InteractionType.ApplicationCommandAutocomplete }>;
  readonly event: InteractionEvent;
  readonly receipt: Receipt;
  readonly redirect: RedirectedThread | null;
  /** Dialogs by the id of the button that opens them. */
  readonly retryDialogs: BoundedMap<string, object>;
}

interface ResponseParts {
  readonly answer: OutgoingMessage | null;
  readonly modal: object | null;
}

/** Chooses message or dialog. Discord does not allow a dialog in response to a dialog, so a button leads to it. */
function responseParts({ interaction, event, receipt, retryDialogs, redirect }: ResponseArgs): ResponseParts {
  const answer = privateAnswer(receipt) ?? confirmationOf(event);
  const modal = receipt.type === "reply" && receipt.form !== undefined ? modalOf(receipt.form, redirect) : null;
  if (modal === null || answer === null || interaction.type !== InteractionType.ModalSubmit) return { answer, modal };
  const button = { id: `form-again:${interaction.id}`, label: "Fill it in again", style: "primary" } as const;
  retryDialogs.set(button.id, modal);
  return { answer: { ...answer, buttons: [button] }, modal: null };
}

function addressOf({ id, application_id: applicationId, token }: WireInteraction): InteractionAddress {
  return { id, applicationId, token };
}

async function respond(options: DiscordScope, responding: ResponseArgs): Promise<void> {
  const { rest, ephemerals, log } = options;
  const { interaction, event } = responding;
  const at = addressOf(interaction);
  const { answer, modal } = responseParts(responding);
  const parts = answer === null ? [] : privateParts(answer);
  const [first, ...more] = parts;
  let unsent = modal === null ? more : [];
  const answered =
    modal !== null
      ? rest.respondModal(at, modal)
      : first === undefined
        ? rest.respond(at, InteractionResponseType.DeferredMessageUpdate)
        : rest.respond(at, InteractionResponseType.ChannelMessageWithSource, {
            body: formatEphemeral(first),
            files: first.files,
          });
  ephemerals.remember(event.thread, event.person.id, { at, answered });
  try {
    await answered;
  } catch (error) {
    log.warn({ err: error, key: event.key }, "discord.interaction_not_answered");
    unsent = parts;
  }
  for (const part of unsent) await ephemerals.post(event.thread, event.person.id, part);
}
