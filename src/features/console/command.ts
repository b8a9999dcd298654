import { z } from "zod";
import { ownId } from "../../core/events/event-key.ts";
import { channelOf } from "../../core/platform/thread.ts";
import type { CommandOutcome } from "../../feature.ts";
import { eventBy, refusalAt } from "./press.ts";
import type { ConsoleScope } from "./scope.ts";
import { mayPress } from "./session.ts";
import { type ChannelRow, consoleReads } from "./store.ts";
import type { Place, Viewer } from "./visibility.ts";

/** A command as typed after a slash, as the page sends it. */
interface Line {
  readonly clickId: string;
  readonly name: string;
  readonly args: string;
  readonly filled?: Readonly<Record<string, string>> | undefined;
}

export const channelCommandSchema = z.object({
  clickId: z.uuid(),
  channelId: z.string().min(1).max(200),
  /** Commands that have a page. */
  name: z.enum(["memory"]),
  args: z.string().max(10_000),
  filled: z.record(z.string().max(64), z.string().max(20_000)).optional(),
});

/**
 * Runs a command in a channel; null if the viewer sees no such channel. The command itself decides what it does and who
 * may use it, as in the channel.
 */
export async function commandInChannel(
  viewer: Viewer,
  { channelId, ...line }: z.infer<typeof channelCommandSchema>,
  world: ConsoleScope,
): Promise<CommandOutcome | null> {
  const place = await placeOfChannel(channelId, world);
  if (place === null || !(await world.visibility.seesChannel(viewer, place.channel))) return null;
  return commandAt(viewer, { place, line }, world);
}

/** Runs a command as the viewer's linked person. */
export async function commandAt(
  viewer: Viewer,
  { place, line }: { readonly place: Place; readonly line: Line },
  { host, visibility }: ConsoleScope,
): Promise<CommandOutcome> {
  const actor = mayPress(viewer) ? await visibility.actor(viewer, place) : null;
  if (actor === null) return said(refusalAt(viewer, place, host));
  const { clickId, name, args, filled } = line;
  const receipt = await host.receive({
    ...eventBy(actor, place, clickId),
    kind: "command",
    name,
    args,
    at: host.runtime.clock.now(),
    ...(filled === undefined ? {} : { filled }),
  });
  if (receipt.type === "refused") return said(receipt.reason);
  if (receipt.type !== "reply") return said(null);
  const { message, form = null, problems = {} } = receipt;
  return { words: message.markdown, form, problems };
}

/** Null if nothing was ever said in the channel. */
export async function placeOfChannel(
  channelId: string,
  { host }: { readonly host: Pick<ConsoleScope["host"], "store"> },
): Promise<Place | null> {
  const [channel] = await host.store.tables(consoleReads).channelsAmong([channelId]);
  return channel === undefined ? null : placeIn(channel);
}

/** The channel as a place without a thread. */
export function placeIn(channel: ChannelRow): Place {
  return { channel, thread: channelOf(channel.id, ownId(channel.workspaceId)) };
}

function said(text: string | null): CommandOutcome {
  return { words: text, form: null, problems: {} };
}
