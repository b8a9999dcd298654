import type { ChatPlatform, ThreadMessage } from "../platform/chat-platform.ts";
import type { Person, ThreadRef } from "../platform/thread.ts";
import { type AccessRules, accessRefusal } from "./access.ts";

type Asked = Pick<ChatPlatform, "fetchThread" | "member">;

/** Adds to messages of the platform's threads the authors' current names and whether the access rules serve them. */
export function withServedAuthors<P extends Asked>(platform: P, access: AccessRules): P {
  return {
    ...platform,
    async fetchThread(thread: ThreadRef, limit: number, signal: AbortSignal) {
      const messages = await platform.fetchThread(thread, limit, signal);
      const authors = new Map(messages.map(({ author }) => [author.id, author]));
      const known = new Map<string, Known>();
      await Promise.all(
        [...authors.values()].map(async (author) => {
          known.set(author.id, await knownOf(author, thread, { platform, access }));
        }),
      );
      return messages.map((message): ThreadMessage => {
        const { author } = message;
        return { ...message, author: { ...author, ...(author.isBot ? UNSERVED : known.get(author.id)) } };
      });
    },
  };
}

/** `name`: as shown in the thread's workspace, since a message may lack it. */
type Known = Pick<ThreadMessage["author"], "isServed"> & Partial<Pick<ThreadMessage["author"], "name">>;

const UNSERVED: Known = { isServed: false };

/** Looks up an author. One whom the platform cannot look up now counts as not served. */
async function knownOf(
  author: ThreadMessage["author"],
  thread: ThreadRef,
  { platform, access }: { readonly platform: Asked; readonly access: AccessRules },
): Promise<Known> {
  const named: Person = { ...author, isGuest: false, isExternal: false, roles: [] };
  if (author.isBot) return UNSERVED;
  if (platform.member === undefined) return { isServed: accessRefusal(named, access) === null };
  if (access.deny.includes(author.id)) return UNSERVED;
  const member = await platform.member(thread, author.id).catch(() => null);
  if (member === null) return UNSERVED;
  return { isServed: accessRefusal(member, access) === null, name: member.name };
}
