import { type Client, mapRow, type Stored } from "../../core/store/database/client.ts";
import { type Account, type AccountLink, type Identity, readRole } from "./account.ts";

interface NewSession {
  /** The hash that the password was compared with. */
  readonly passwordHash: string;
  readonly at: number;
  readonly idleMs: number;
  readonly most: number;
}

export function accountReads(db: Client) {
  return {
    async any(): Promise<boolean> {
      return (await db.account.findFirst({ select: { name: true } })) !== null;
    },

    async get(name: string): Promise<Account | null> {
      return mapRow(await db.account.findUnique({ where: { name } }), toAccount);
    },

    async byIdentity({ issuer, subject }: Identity): Promise<Account | null> {
      return mapRow(await db.account.findUnique({ where: { issuer_subject: { issuer, subject } } }), toAccount);
    },

    async all(): Promise<Account[]> {
      return (await db.account.findMany({ orderBy: { name: "asc" } })).map(toAccount);
    },

    async session(id: string) {
      const row = await db.loginSession.findUnique({ where: { id } });
      if (row === null) return null;
      const account = await db.account.findUnique({ where: { name: row.accountName } });
      if (account === null) return null;
      return { account: toAccount(account), usedAt: row.usedAt.getTime(), expiresAt: row.expiresAt.getTime() };
    },

    /** Number of sessions by account. */
    async sessionCounts(): Promise<ReadonlyMap<string, number>> {
      const rows = await db.loginSession.groupBy({ by: ["accountName"], _count: true });
      return new Map(rows.map(({ accountName, _count }) => [accountName, _count]));
    },

    async links(accountName: string): Promise<AccountLink[]> {
      return db.accountLink.findMany({ where: { accountName }, orderBy: { personId: "asc" } });
    },

    async link(personId: string): Promise<AccountLink | null> {
      return db.accountLink.findUnique({ where: { personId } });
    },
  };
}

export function accountWrites(db: Client) {
  return {
    ...accountReads(db),
    ...linkCodes(db),

    async create({ identity, createdAt, ...account }: Omit<Account, "signedInAt">): Promise<void> {
      await db.account.create({ data: { ...account, ...identity, createdAt: new Date(createdAt) } });
    },

    async setPassword(name: string, passwordHash: string): Promise<void> {
      await db.account.update({ where: { name }, data: { passwordHash } });
    },

    async setRole(name: string, role: Account["role"]): Promise<void> {
      await db.account.update({ where: { name }, data: { role } });
    },

    async remove(name: string): Promise<void> {
      await db.loginSession.deleteMany({ where: { accountName: name } });
      await db.accountLink.deleteMany({ where: { accountName: name } });
      await db.linkCode.deleteMany({ where: { accountName: name } });
      await db.account.deleteMany({ where: { name } });
    },

    /**
     * Adds a session, and deletes the account's expired ones and those beyond the newest `most`. False if the account
     * has another password by now, or is gone.
     */
    async addSession(
      session: { readonly id: string; readonly accountName: string; readonly expiresAt: number },
      { passwordHash, at, idleMs, most }: NewSession,
    ): Promise<boolean> {
      const { accountName } = session;
      const now = new Date(at);
      const where = { name: accountName, passwordHash };
      if ((await db.account.updateMany({ where, data: { signedInAt: now } })).count === 0) return false;
      await db.loginSession.create({
        data: { ...session, createdAt: now, usedAt: now, expiresAt: new Date(session.expiresAt) },
      });
      const ended = { OR: [{ expiresAt: { lte: now } }, { usedAt: { lte: new Date(at - idleMs) } }] };
      await db.loginSession.deleteMany({ where: { accountName, ...ended } });
      const newest = { createdAt: "desc" } as const;
      const older = await db.loginSession.findMany({ where: { accountName }, orderBy: newest, skip: most });
      await db.loginSession.deleteMany({ where: { id: { in: older.map(({ id }) => id) } } });
      return true;
    },

    async useSession(id: string, at: number): Promise<void> {
      await db.loginSession.updateMany({ where: { id }, data: { usedAt: new Date(at) } });
    },

    async endSession(id: string): Promise<void> {
      await db.loginSession.deleteMany({ where: { id } });
    },

    async endSessions(accountName: string): Promise<number> {
      return (await db.loginSession.deleteMany({ where: { accountName } })).count;
    },

    /** Links a person to an account, replacing an earlier link, since a person belongs to one account only. */
    async addLink({ personId, ...link }: AccountLink, at: number): Promise<void> {
      const data = { ...link, createdAt: new Date(at) };
      await db.accountLink.upsert({ where: { personId }, create: { personId, ...data }, update: data });
    },

    async removeLink(personId: string): Promise<void> {
      await db.accountLink.deleteMany({ where: { personId } });
    },
  };
}

function linkCodes(db: Client) {
  return {
    /** Replaces an account's code, and deletes expired ones. */
    async putCode(accountName: string, hash: string, { now, until }: Span): Promise<void> {
      await db.linkCode.deleteMany({ where: { OR: [{ accountName }, { until: { lte: new Date(now) } }] } });
      await db.linkCode.create({ data: { accountName, hash, until: new Date(until) } });
    },

    /** Uses up a code; false if it is not valid. */
    async takeCode(accountName: string, hash: string, now: number): Promise<boolean> {
      const where = { accountName, hash, until: { gt: new Date(now) } };
      return (await db.linkCode.deleteMany({ where })).count > 0;
    },
  };
}

/** Times in milliseconds since the epoch. */
interface Span {
  readonly now: number;
  readonly until: number;
}

export function attemptWrites(db: Client) {
  return {
    /** Attempts that still count. */
    async running(ids: readonly string[], now: number): Promise<{ id: string; count: number; until: number }[]> {
      const rows = await db.loginAttempt.findMany({ where: { id: { in: [...ids] }, until: { gt: new Date(now) } } });
      return rows.map(({ until, ...row }) => ({ ...row, until: until.getTime() }));
    },

    /** Counts one more attempt for each id, and deletes expired ones. */
    async add(ids: readonly string[], { now, until }: Span): Promise<void> {
      await db.loginAttempt.deleteMany({ where: { until: { lte: new Date(now) } } });
      for (const id of ids) {
        const create = { id, count: 1, until: new Date(until) };
        await db.loginAttempt.upsert({ where: { id }, create, update: { count: { increment: 1 } } });
      }
    },

    /** Counts one attempt; true if it is the first. */
    async isFirst(id: string, until: number): Promise<boolean> {
      const create = { id, count: 1, until: new Date(until) };
      const update = { count: { increment: 1 } };
      return (await db.loginAttempt.upsert({ where: { id }, create, update })).count === 1;
    },

    async takeBack(ids: readonly string[]): Promise<void> {
      const where = { id: { in: [...ids] }, count: { gt: 0 } };
      await db.loginAttempt.updateMany({ where, data: { count: { decrement: 1 } } });
    },
  };
}

function toAccount({ role, createdAt, signedInAt, issuer, subject, ...row }: Stored<"Account">): Account {
  return {
    ...row,
    role: readRole(role),
    identity: issuer === null || subject === null ? null : { issuer, subject },
    createdAt: createdAt.getTime(),
    signedInAt: signedInAt?.getTime() ?? null,
  };
}
