import { cacheAnswers } from "../../../core/answer-cache.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { DM_WORKSPACE } from "../channels.ts";
import { type Members, memberIn } from "../members.ts";
import type { WireMessage } from "./message-schema.ts";
import { displayName } from "./person-schema.ts";
import type { Names } from "./text.ts";

/** How long a person's name is cached. In milliseconds. */
const CACHE_MS = 10 * 60_000;
const CACHE_SIZE = 1_000;
/** Maximum number of people looked up for one set of messages. */
const MAX_ASKED = 10;
const MENTION = /<@!?(\d{1,20})>/gu;

/**
 * The names of all people mentioned in messages. A message itself names those mentioned in its text, but not those in
 * its embeds or in a webhook's silent mentions; these are looked up.
 */
export type NamesIn = (messages: readonly WireMessage[], guildId: string | undefined) => Promise<Names>;

export function createNamesIn(names: Names, members: Members, clock: Clock): NamesIn {
  const askedName = cacheAnswers(
    async (guildId: string, id: string) => (await memberIn(members, guildId, id).catch(() => null))?.name,
    { forMs: CACHE_MS, most: CACHE_SIZE, clock },
  );
  return async (messages, guildId = DM_WORKSPACE.id) => {
    const mentioned = new Map(messages.flatMap(mentionedNames));
    const named = new Set([...JSON.stringify(messages).matchAll(MENTION)].map(([, id = ""]) => id));
    const unknown = [...named].filter((id) => !mentioned.has(id)).slice(0, MAX_ASKED);
    const asked = await Promise.all(unknown.map(async (id) => [id, await askedName(guildId, id)] as const));
    const all = new Map<string, string | undefined>([...mentioned, ...asked]);
    return { ...names, person: (id) => all.get(id) };
  };
}

function mentionedNames({ mentions, message_snapshots, referenced_message: answered }: WireMessage) {
  const all = [mentions, answered?.mentions ?? [], ...message_snapshots.map(({ message }) => message.mentions)].flat();
  return all.map((each) => [each.id, displayName(each, each.member)] as const);
}
