import type { Client } from "../../../core/store/database/client.ts";

export interface SignInRow {
  /** The server's key in the settings. */
  readonly server: string;
  /** SHA-256 of the server's URL. */
  readonly address: string;
  readonly sealed: string;
  readonly by: string;
  /** When the person signed in, which renewals do not change. */
  readonly at: number;
  readonly renewedAt: number;
  readonly refusedAt: number | null;
}

/** The state of a row that a change starts from. If the row has changed since, nothing is written. */
type Unchanged = Pick<SignInRow, "server" | "sealed">;

export function signInReads(db: Client) {
  return {
    async all(): Promise<SignInRow[]> {
      return (await db.mcpSignIn.findMany({ orderBy: { server: "asc" } })).map(rowOf);
    },
  };
}

type Stored = Awaited<ReturnType<Client["mcpSignIn"]["findMany"]>>[number];

function rowOf({ renewingUntil: _turn, ...row }: Stored): SignInRow {
  return {
    ...row,
    at: row.at.getTime(),
    renewedAt: row.renewedAt.getTime(),
    refusedAt: row.refusedAt?.getTime() ?? null,
  };
}

export function signInWrites(db: Client) {
  return {
    async set({ server, ...row }: SignInRow): Promise<void> {
      const data = {
        ...row,
        at: new Date(row.at),
        renewedAt: new Date(row.renewedAt),
        refusedAt: row.refusedAt === null ? null : new Date(row.refusedAt),
        renewingUntil: null,
      };
      await db.mcpSignIn.upsert({ where: { server }, create: { server, ...data }, update: data });
    },

    /** Removes the sign-in to a server and returns it; null if there is none. */
    async take(server: string): Promise<SignInRow | null> {
      for (;;) {
        const row = await db.mcpSignIn.findUnique({ where: { server } });
        if (row === null) return null;
        // Between the two statements, another process may have stored new tokens.
        const { count } = await db.mcpSignIn.deleteMany({ where: { server, sealed: row.sealed } });
        if (count > 0) return rowOf(row);
      }
    },

    /** Takes the turn to renew the token; false if another process has it, or has had it since. */
    async takeTurn({ server, sealed }: Unchanged, { now, until }: { now: number; until: number }): Promise<boolean> {
      const isFree = [{ renewingUntil: null }, { renewingUntil: { lt: new Date(now) } }];
      const data = { renewingUntil: new Date(until) };
      return (await db.mcpSignIn.updateMany({ where: { server, sealed, OR: isFree }, data })).count > 0;
    },

    async leaveTurn({ server, sealed }: Unchanged): Promise<void> {
      await db.mcpSignIn.updateMany({ where: { server, sealed }, data: { renewingUntil: null } });
    },

    /** Ends the turn with new tokens, whatever was refused before; false if the sign-in was replaced or removed. */
    async renew({ server, sealed }: Unchanged, to: Pick<SignInRow, "sealed" | "renewedAt">): Promise<boolean> {
      const data = { sealed: to.sealed, renewedAt: new Date(to.renewedAt), renewingUntil: null, refusedAt: null };
      return (await db.mcpSignIn.updateMany({ where: { server, sealed }, data })).count > 0;
    },

    /** Records that the tokens are renewed no more. */
    async refuse({ server, sealed }: Unchanged, at: number): Promise<void> {
      const data = { refusedAt: new Date(at), renewingUntil: null };
      await db.mcpSignIn.updateMany({ where: { server, sealed }, data });
    },
  };
}
