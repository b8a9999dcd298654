import { z } from "zod";
import type { Membership } from "../../core/platform/chat-platform.ts";
import type { Directory } from "./directory.ts";
import { slackErrorName, toPlatformError } from "./errors.ts";
import type { SlackWeb } from "./web.ts";

const channelSchema = z.object({
  is_im: z.boolean().default(false),
  is_mpim: z.boolean().default(false),
  is_private: z.boolean().default(false),
  is_member: z.boolean().default(false),
  is_archived: z.boolean().default(false),
  /** The other person in a direct message. */
  user: z.string().optional(),
});

/** How a person and the bot relate to a channel; null if the bot cannot see the channel. */
export async function membershipIn(
  { web, directory }: { readonly web: SlackWeb; readonly directory: Directory },
  { channelId, userId }: { readonly channelId: string; readonly userId: string },
): Promise<Membership | null> {
  const known = await channelOf(web, channelId);
  if (known === null) return null;
  if (known.is_im) return { isPrivate: true, isMember: known.user === userId, canPost: true };
  return {
    isPrivate: known.is_private || known.is_mpim,
    isMember: (await directory.channelsWith(userId)).has(channelId),
    canPost: takesPosts(known),
  };
}

/** Whether the bot can post in a channel in which it is asked to answer. */
export async function mayPostIn(web: SlackWeb, channelId: string): Promise<boolean> {
  const known = await channelOf(web, channelId);
  return known !== null && takesPosts(known);
}

type Channel = z.infer<typeof channelSchema>;

function takesPosts({ is_im, is_mpim, is_member, is_archived }: Channel): boolean {
  return is_im || ((is_member || is_mpim) && !is_archived);
}

/** Null if the bot cannot see the channel. */
async function channelOf(web: SlackWeb, channelId: string): Promise<Channel | null> {
  try {
    const { channel } = await web.conversations.info({ channel: channelId });
    return channelSchema.parse(channel);
  } catch (error) {
    if (slackErrorName(error) === "channel_not_found") return null;
    throw toPlatformError(error, "see who is in that channel");
  }
}
