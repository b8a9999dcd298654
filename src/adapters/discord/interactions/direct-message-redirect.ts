import { InteractionType } from "discord.js";
import type { OutgoingMessage } from "../../../core/platform/outgoing.ts";
import type { ThreadRef } from "../../../core/platform/thread.ts";
import { CUSTOM_ID_CHARS } from "../limits.ts";
import type { WireInteraction } from "../wire.ts";

/** The thread of a server that a direct message is about. */
export type RedirectedThread = Pick<ThreadRef, "channelId" | "threadId">;

/**
 * A component id that also names a thread; null if the result is too long. Channel ids are written in base 16, which
 * leaves 63 characters.
 */
export function redirectedId(id: string, { channelId, threadId }: RedirectedThread): string | null {
  const redirected = `in:${toHex(channelId)}/${threadId === null ? "" : toHex(threadId)}:${id}`;
  return redirected.length > CUSTOM_ID_CHARS ? null : redirected;
}

/** Makes buttons act in the thread that the message is about. Buttons whose ids would become too long are dropped. */
export function redirectedButtons({ buttons }: OutgoingMessage, thread: RedirectedThread): OutgoingMessage["buttons"] {
  return buttons.flatMap((button) => {
    const id = redirectedId(button.id, thread);
    return id === null ? [] : [{ ...button, id }];
  });
}

interface RedirectedInteraction {
  /** The interaction with its id in the form that the core knows. */
  readonly interaction: WireInteraction;
  /** The thread that it is about; null if that is where it happened. */
  readonly redirect: RedirectedThread | null;
}

/** Reads the thread from the id of a click or a submitted dialog. */
export function readRedirect(interaction: WireInteraction): RedirectedInteraction {
  if (interaction.type !== InteractionType.MessageComponent && interaction.type !== InteractionType.ModalSubmit)
    return { interaction, redirect: null };
  const [, channel, thread, id] = /^in:([0-9a-f]+)\/([0-9a-f]*):(.*)$/su.exec(interaction.data.custom_id) ?? [];
  if (channel === undefined || id === undefined) return { interaction, redirect: null };
  const redirect = {
    channelId: fromHex(channel),
    threadId: thread === "" || thread === undefined ? null : fromHex(thread),
  };
  if (interaction.type === InteractionType.MessageComponent)
    return { interaction: { ...interaction, data: { custom_id: id } }, redirect };
  return { interaction: { ...interaction, data: { ...interaction.data, custom_id: id } }, redirect };
}

function toHex(snowflake: string): string {
  return BigInt(snowflake).toString(16);
}

function fromHex(hex: string): string {
  return BigInt(`0x${hex}`).toString();
}
