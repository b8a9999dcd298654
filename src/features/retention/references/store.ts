import type { Client } from "../../../core/store/database/client.ts";
import { attachmentsIn } from "../files.ts";

/** Sessions whose rows are read together. */
const TOGETHER = 200;
const SHA256 = /[0-9a-f]{64}/gu;

/** Finds the files to which sessions refer, and whether other sessions refer to them, too. */
export function fileReferences(db: Client) {
  const hashesOf = async (sessionIds: readonly string[]): Promise<Set<string>> => {
    const sessionId = { in: [...sessionIds] };
    const [calls, undos] = await Promise.all([
      db.toolCall.findMany({ where: { sessionId }, select: { files: true, intent: true } }),
      db.runUndo.findMany({ where: { sessionId }, select: { files: true } }),
    ]);
    const texts = [...calls.flatMap(({ files, intent }) => [files, intent]), ...undos.map(({ files }) => files)];
    return new Set(texts.flatMap((text) => text?.match(SHA256) ?? []));
  };
  return {
    hashesOf,

    /** Hashes among these that sessions outside a family refer to. Sessions older than `since` refer to no kept one. */
    async hashesOfOthers(hashes: Iterable<string>, family: readonly string[], since: number): Promise<Set<string>> {
      const wanted = new Set(hashes);
      const found = new Set<string>();
      let after = "";
      while (found.size < wanted.size) {
        const sessions = await db.session.findMany({
          where: { AND: [{ id: { gt: after } }, { id: { notIn: [...family] } }], updatedAt: { gte: new Date(since) } },
          orderBy: { id: "asc" },
          take: TOGETHER,
          select: { id: true },
        });
        const last = sessions.at(-1);
        if (last === undefined) break;
        after = last.id;
        for (const hash of await hashesOf(sessions.map(({ id }) => id))) if (wanted.has(hash)) found.add(hash);
      }
      return found;
    },

    /**
     * Files that people attached in the sessions, or that one person did, relative to their channels' sandbox roots.
     */
    async attachmentsOf(family: readonly string[], personId?: string): Promise<{ channelId: string; path: string }[]> {
      const by = personId === undefined ? {} : { authorId: personId };
      const content = { contains: "It is saved as attachments/" };
      const rows = await db.message.findMany({
        where: { sessionId: { in: [...family] }, role: "user", ...by, content },
        select: { content: true, session: { select: { channelId: true } } },
      });
      return rows.flatMap(({ content, session: { channelId } }) =>
        attachmentsIn(content).map((path) => ({ channelId, path })),
      );
    },

    /** Whether sessions of these channels, outside the family, mention an attachment. */
    async isAttachedElsewhere(
      path: string,
      channelIds: readonly string[],
      family: readonly string[],
    ): Promise<boolean> {
      const session = { channelId: { in: [...channelIds] }, id: { notIn: [...family] } };
      const content = { contains: JSON.stringify(`saved as ${path}.`).slice(1, -1) };
      return (await db.message.count({ where: { session, content } })) > 0;
    },

    async channels(): Promise<{ id: string; workspaceId: string }[]> {
      return db.channel.findMany({ select: { id: true, workspaceId: true } });
    },
  };
}
