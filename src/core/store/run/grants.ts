import { z } from "zod";
import type { GrantScope } from "../../trust/grants.ts";
import { type Client, mapRow, type Stored } from "../database/client.ts";

/** A remembered approval. */
export interface GrantRow extends GrantScope {
  readonly id: string;
  /** Null if the grant holds in the whole channel. */
  readonly sessionId: string | null;
  readonly channelId: string;
  readonly label: string;
  /** As people read it: `@ana`. */
  readonly grantedBy: string;
  readonly createdAt: number;
}

export function grantReads(db: Client) {
  return {
    /** Null if the grant does not exist or is revoked. */
    async get(id: string): Promise<GrantRow | null> {
      return mapRow(await db.grant.findFirst({ where: { id, revokedAt: null } }), toRow);
    },

    /** Grants in force in a session: its own and its channel's, oldest first. */
    async inForce({ sessionId, channelId }: { sessionId: string; channelId: string }): Promise<GrantRow[]> {
      const rows = await db.grant.findMany({
        where: { channelId, revokedAt: null, OR: [{ sessionId: null }, { sessionId }] },
        orderBy: { createdAt: "asc" },
      });
      return rows.map(toRow);
    },
  };
}

export function grantWrites(db: Client) {
  return {
    ...grantReads(db),

    async add({ createdAt, words, ...grant }: GrantRow): Promise<void> {
      const stored = words === undefined ? null : JSON.stringify(words);
      await db.grant.create({ data: { ...grant, words: stored, createdAt: new Date(createdAt) } });
    },

    /** False if the grant was revoked before. */
    async revoke(id: string, at: number): Promise<boolean> {
      const { count } = await db.grant.updateMany({
        where: { id, revokedAt: null },
        data: { revokedAt: new Date(at) },
      });
      return count > 0;
    },
  };
}

const wordsSchema = z.array(z.string());

function toRow({ words, givenIn, createdAt, revokedAt: _revokedAt, ...grant }: Stored<"Grant">): GrantRow {
  return {
    ...grant,
    ...(words === null ? {} : { words: wordsSchema.parse(JSON.parse(words)) }),
    ...(givenIn === null ? {} : { givenIn }),
    createdAt: createdAt.getTime(),
  };
}
