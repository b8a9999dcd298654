import { z } from "zod";
import type { Membership } from "../../core/protocol/platform.ts";
import { asking, slackErrorName, toPlatformError } from "./errors.ts";
import { LISTED_CHANNELS, LISTED_PAGES } from "./limits.ts";
import type { SlackWeb } from "./web.ts";

const SEEING = "see who is in that channel";

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
export async function membershipIn(
  web: SlackWeb,
  { channelId, userId }: { readonly channelId: string; readonly userId: string },
): Promise<Membership | null> {
  const known = await channelOf(web, channelId);
  if (known === null) return null;
  if (known.is_im) return { isPrivate: true, isMember: known.user === userId, canPost: true };
  return {
    isPrivate: known.is_private || known.is_mpim,
    isMember: (await channelsWith(web, userId)).has(channelId),
    canPost: takesPosts(known),
  };
}

/** Whether the bot is where it is asked to answer. */
export async function mayPostIn(web: SlackWeb, channelId: string): Promise<boolean> {
  const known = await channelOf(web, channelId);
  return known !== null && takesPosts(known);
}

type Channel = z.infer<typeof channelSchema>;

function takesPosts({ is_im, is_mpim, is_member, is_archived }: Channel): boolean {
  return is_im || ((is_member || is_mpim) && !is_archived);
}

/** Null where the bot may not even know of it. */
async function channelOf(web: SlackWeb, channelId: string): Promise<Channel | null> {
  try {
    const { channel } = await web.conversations.info({ channel: channelId });
    return channelSchema.parse(channel);
  } catch (error) {
    if (slackErrorName(error) === "channel_not_found") return null;
    throw toPlatformError(error, SEEING);
  }
}

/** Ids of the channels that people are being looked up in: who is asked about many channels at once is looked up once. */
const lookups = new WeakMap<SlackWeb, Map<string, Promise<ReadonlySet<string>>>>();

/** A person is in fewer channels than a channel has members. */
function channelsWith(web: SlackWeb, userId: string): Promise<ReadonlySet<string>> {
  const under = lookups.get(web) ?? new Map<string, Promise<ReadonlySet<string>>>();
  lookups.set(web, under);
  const known = under.get(userId);
  if (known !== undefined) return known;
  const found = listChannels(web, userId).finally(() => under.delete(userId));
  under.set(userId, found);
  return found;
}

async function listChannels(web: SlackWeb, userId: string): Promise<ReadonlySet<string>> {
  const asked = { user: userId, types: "public_channel,private_channel,mpim", limit: LISTED_CHANNELS };
  const found = new Set<string>();
  let cursor = "";
  for (let page = 0; page < LISTED_PAGES; page += 1) {
    const more = cursor === "" ? {} : { cursor };
    const listed = await asking(SEEING, () => web.users.conversations({ ...asked, ...more }));
    const { channels = [], response_metadata: next } = listed;
    for (const { id } of channels) if (id !== undefined) found.add(id);
    cursor = next?.next_cursor ?? "";
    if (cursor === "") break;
  }
  return found;
}
