import type { ChatPlatform, Person, ThreadMessage, ThreadRef } from "../protocol/platform.ts";
import { type AccessRules, accessRefusal } from "./access.ts";

type Asked = Pick<ChatPlatform, "fetchThread" | "member">;

/** The same platform; what is read of its threads says which authors the access rules serve as they are now. */
export function withServedAuthors<P extends Asked>(platform: P, access: AccessRules): P {
  return {
    ...platform,
    async fetchThread(thread: ThreadRef, limit: number, signal: AbortSignal) {
      const messages = await platform.fetchThread(thread, limit, signal);
      const authors = new Map(messages.map(({ author }) => [author.id, author]));
      const served = new Map<string, boolean>();
      await Promise.all(
        [...authors.values()].map(async (author) => {
          served.set(author.id, await isServed(author, thread, { platform, access }));
        }),
      );
      return messages.map((message): ThreadMessage => {
        const { author } = message;
        return { ...message, author: { ...author, isServed: served.get(author.id) === true && !author.isBot } };
      });
    },
  };
}

/** Whom nobody can tell of, since the platform does not answer, is not taken for one who is served. */
async function isServed(
  author: ThreadMessage["author"],
  thread: ThreadRef,
  { platform, access }: { readonly platform: Asked; readonly access: AccessRules },
): Promise<boolean> {
  const named: Person = { ...author, isGuest: false, isExternal: false, roles: [] };
  if (author.isBot || access.deny.includes(author.id)) return false;
  if (platform.member === undefined) return accessRefusal(named, access) === null;
  const member = await platform.member(thread, author.id).catch(() => null);
  return member !== null && accessRefusal(member, access) === null;
}
