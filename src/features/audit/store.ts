import { z } from "zod";
import type { Client } from "../../core/store/database/client.ts";
import type { AuditRow } from "../../feature.ts";

/** Empty strings and null do not filter. */
export interface AuditFilter {
  /** A name, with or without a platform's `@`. */
  readonly by: string;
  readonly act: string;
  /** In milliseconds since the epoch; `until` is exclusive. */
  readonly since: number | null;
  readonly until: number | null;
  /** The last row of the previous page. */
  readonly after: Pick<AuditRow, "at" | "id"> | null;
}

/** Decisions on approvals, which are stored in a table of their own. */
const DECISIONS: ReadonlyMap<string, string> = new Map([
  ["approval.allowed", "allowed"],
  ["approval.denied", "denied"],
]);
const callsSchema = z.array(z.object({ tool: z.string(), title: z.string() }));

export function auditReads(db: Client) {
  return {
    /** Matching entries, the newest first. */
    async page(filter: AuditFilter, limit: number): Promise<AuditRow[]> {
      const [entries, decisions] = await Promise.all([
        DECISIONS.has(filter.act) ? [] : entriesOf(db, filter, limit),
        filter.act === "" || DECISIONS.has(filter.act) ? decisionsOf(db, filter, limit) : [],
      ]);
      return [...entries, ...decisions].toSorted(newestFirst).slice(0, limit);
    },

    /** The values to filter by. */
    async choices(): Promise<{ people: string[]; acts: string[] }> {
      const [people, acts, deciders] = await Promise.all([
        db.auditEntry.groupBy({ by: ["by"] }),
        db.auditEntry.groupBy({ by: ["act"] }),
        db.approval.groupBy({ by: ["decidedBy"], where: { decidedBy: { not: null } } }),
      ]);
      const names = [...people.map(({ by }) => by), ...deciders.flatMap(({ decidedBy }) => decidedBy ?? [])];
      return {
        people: [...new Set(names.map(bare))].filter((name) => name !== "").toSorted(),
        acts: [...acts.map(({ act }) => act), ...DECISIONS.keys()].toSorted(),
      };
    },
  };
}

export function auditWrites(db: Client) {
  return {
    async add({ at, ...row }: Omit<AuditRow, "sessionId">): Promise<void> {
      await db.auditEntry.create({ data: { ...row, at: new Date(at) } });
    },
  };
}

async function entriesOf(db: Client, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const { by, act, after } = filter;
  const at = after === null ? null : new Date(after.at);
  const rows = await db.auditEntry.findMany({
    where: {
      ...(by === "" ? {} : { by: { in: spellings(by) } }),
      ...(act === "" ? {} : { act }),
      at: within(filter),
      ...(after === null || at === null ? {} : { OR: [{ at: { lt: at } }, { at, id: { lt: after.id } }] }),
    },
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: limit,
  });
  return rows.map((row) => ({ ...row, at: row.at.getTime(), sessionId: null }));
}

async function decisionsOf(db: Client, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const { by, act, after } = filter;
  const decidedAt = after === null ? null : new Date(after.at);
  const rows = await db.approval.findMany({
    where: {
      status: { in: act === "" ? [...DECISIONS.values()] : [DECISIONS.get(act) ?? ""] },
      decidedBy: by === "" ? { not: null } : { in: spellings(by) },
      decidedAt: within(filter),
      ...(after === null || decidedAt === null
        ? {}
        : { OR: [{ decidedAt: { lt: decidedAt } }, { decidedAt, id: { lt: after.id } }] }),
    },
    orderBy: [{ decidedAt: "desc" }, { id: "desc" }],
    take: limit,
  });
  return rows.map(({ id, decidedAt: at, decidedBy, status, scope, calls, sessionId }) => ({
    id,
    at: at?.getTime() ?? 0,
    by: bare(decidedBy ?? ""),
    act: `approval.${status}`,
    about: callsSchema
      .parse(JSON.parse(calls))
      .map(({ tool, title }) => (title === "" ? tool : title.replaceAll(CODE_SPAN, "$1")))
      .join("; "),
    details: SCOPES.get(scope ?? "") ?? "",
    sessionId,
  }));
}

/** Titles are Markdown; the log shows plain text. */
const CODE_SPAN = /`([^`]+)`/gu;

const SCOPES: ReadonlyMap<string, string> = new Map([
  ["session", "for the session"],
  ["always", "always"],
]);

function within({ since, until, after }: Pick<AuditFilter, "since" | "until" | "after">) {
  // Sets a bound for the rows after a cursor, too: with the alternatives alone, SQLite would scan everything newer.
  const end = Math.min(until ?? Infinity, (after?.at ?? Infinity) + 1);
  return {
    ...(since === null ? {} : { gte: new Date(since) }),
    ...(end === Infinity ? {} : { lt: new Date(end) }),
  };
}

function newestFirst(a: AuditRow, b: AuditRow): number {
  return b.at - a.at || (a.id < b.id ? 1 : -1);
}

function bare(name: string): string {
  return name.replace(/^@/u, "");
}

function spellings(name: string): string[] {
  return [bare(name), `@${bare(name)}`];
}
