import { z } from "zod";
import type { Standing } from "../../core/protocol/platform.ts";
import { slackErrorName, toPlatformError } from "./errors.ts";
import { LISTED_CHANNELS, LISTED_PAGES } from "./limits.ts";
import type { SlackWeb } from "./web.ts";

const channelSchema = z.object({
  is_im: z.boolean().default(false),
  is_mpim: z.boolean().default(false),
  is_private: z.boolean().default(false),
  is_member: z.boolean().default(false),
  is_archived: z.boolean().default(false),
  /** Whose direct messages these are. */
  user: z.string().optional(),
});

/** How a person and the bot stand to a channel; null where the bot may not even know of it. */
export async function standingIn(
  web: SlackWeb,
  { channelId, userId }: { readonly channelId: string; readonly userId: string },
): Promise<Standing | null> {
  try {
    const { channel } = await web.conversations.info({ channel: channelId });
    const known = channelSchema.parse(channel);
    if (known.is_im) return { isPrivate: true, isMember: known.user === userId, canPost: true };
    return {
      isPrivate: known.is_private || known.is_mpim,
      isMember: await isAmongChannels(web, { channelId, userId }),
      canPost: (known.is_member || known.is_mpim) && !known.is_archived,
    };
  } catch (error) {
    if (slackErrorName(error) === "channel_not_found") return null;
    throw toPlatformError(error, "see who is in that channel");
  }
}

/** A person is in fewer channels than a channel has members. */
async function isAmongChannels(
  web: SlackWeb,
  { channelId, userId }: { readonly channelId: string; readonly userId: string },
): Promise<boolean> {
  const asked = { user: userId, types: "public_channel,private_channel,mpim", limit: LISTED_CHANNELS };
  let cursor = "";
  for (let page = 0; page < LISTED_PAGES; page += 1) {
    const more = cursor === "" ? {} : { cursor };
    const { channels = [], response_metadata: next } = await web.users.conversations({ ...asked, ...more });
    if (channels.some(({ id }) => id === channelId)) return true;
    cursor = next?.next_cursor ?? "";
    if (cursor === "") return false;
  }
  return false;
}
