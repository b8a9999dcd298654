import { z } from "zod";
import { authorSchema } from "../../protocol/messages.ts";
import { type Client, mapReadable, mapRow, type Stored } from "../database/client.ts";

/** A call as its card shows it, without the values of secrets. */
const shownSchema = z.object({
  question: z.string(),
  language: z.string(),
  text: z.string(),
  facts: z.array(z.string()).exactOptional(),
  reach: z.string(),
  answers: z.object({ allow: z.string(), deny: z.string() }).exactOptional(),
  /** Why people are asked even if the mode does not require it. */
  why: z.string().nullable(),
});

const callSchema = z.object({
  callId: z.string(),
  tool: z.string(),
  /** Canonical JSON. The decision holds for exactly these arguments. */
  input: z.string(),
  /** What a grant would remember, and how people read it. */
  grant: z.object({ key: z.string(), label: z.string() }),
  /** A few words for the line that remains after the decision. */
  title: z.string(),
  /** Identifies what people were shown (`CallPreview.previewDigest`). */
  previewDigest: z.string().exactOptional(),
  /** Missing in older rows, and for calls that nobody is asked about. */
  shown: shownSchema.exactOptional(),
  /** Why the call would fail; nobody is asked about such a call. */
  refused: z.string().optional(),
});
export type ApprovalCall = z.infer<typeof callSchema>;

const peopleSchema = z.object({
  /** The author of the message that began the run. */
  requester: authorSchema,
  /** People whose words have entered the run since. */
  others: z.array(authorSchema),
  /** Sources of words that no person answers for, as in labels. Missing in older rows. */
  outside: z.array(z.string()).exactOptional(),
  /** Whether grants may be remembered for the calls. */
  mayRemember: z.boolean(),
});
export type ApprovalPeople = z.infer<typeof peopleSchema>;

const statusSchema = z.enum(["pending", "allowed", "denied", "expired", "withdrawn"]);
const scopeSchema = z.enum(["once", "session", "always"]);
export type ApprovalScope = z.infer<typeof scopeSchema>;

export interface ApprovalRow {
  /** `<runId>:<turn>`. */
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly turn: number;
  readonly calls: readonly ApprovalCall[];
  readonly people: ApprovalPeople;
  readonly status: z.infer<typeof statusSchema>;
  readonly scope: ApprovalScope | null;
  /** As people read it: `@ana`. */
  readonly decidedBy: string | null;
  readonly expiresAt: number;
  readonly createdAt: number;
}

export interface ApprovalDecision {
  readonly status: Exclude<ApprovalRow["status"], "pending">;
  readonly scope: ApprovalScope | null;
  readonly decidedBy: string | null;
  readonly at: number;
}

export function approvalReads(db: Client) {
  return {
    async get(id: string): Promise<ApprovalRow | null> {
      return mapRow(await db.approval.findUnique({ where: { id } }), toRow);
    },

    /** Approvals pending in a channel, oldest first. */
    async pendingIn(channelId: string): Promise<ApprovalRow[]> {
      const open = { status: { in: ["running", "parked"] }, session: { channelId } };
      const runs = await db.run.findMany({ where: open, select: { id: true } });
      const where = { runId: { in: runs.map(({ id }) => id) }, status: "pending" };
      return mapReadable(await db.approval.findMany({ where, orderBy: { createdAt: "asc" } }), toRow);
    },

    /** Approvals pending in these sessions, oldest first. */
    async pendingOf(sessionIds: readonly string[]): Promise<ApprovalRow[]> {
      const where = { sessionId: { in: [...sessionIds] }, status: "pending" };
      return mapReadable(await db.approval.findMany({ where, orderBy: { createdAt: "asc" } }), toRow);
    },

    async ofRun(runId: string): Promise<ApprovalRow[]> {
      const rows = await db.approval.findMany({ where: { runId }, orderBy: { turn: "asc" } });
      return rows.map(toRow);
    },
  };
}

export function approvalWrites(db: Client) {
  return {
    ...approvalReads(db),

    async create(row: Omit<ApprovalRow, "status" | "scope" | "decidedBy">): Promise<void> {
      const { calls, people, expiresAt, createdAt, ...rest } = row;
      await db.approval.create({
        data: {
          ...rest,
          calls: JSON.stringify(calls),
          people: JSON.stringify(people),
          status: "pending",
          expiresAt: new Date(expiresAt),
          createdAt: new Date(createdAt),
        },
      });
    },

    /** Records the first decision. False if the approval was already decided or has expired. */
    async decide(id: string, { status, scope, decidedBy, at }: ApprovalDecision): Promise<boolean> {
      const { count } = await db.approval.updateMany({
        where: { id, status: "pending" },
        data: { status, scope, decidedBy, decidedAt: new Date(at) },
      });
      return count > 0;
    },
  };
}

function toRow(row: Stored<"Approval">): ApprovalRow {
  return {
    ...row,
    calls: z.array(callSchema).parse(JSON.parse(row.calls)),
    people: peopleSchema.parse(JSON.parse(row.people)),
    status: statusSchema.parse(row.status),
    scope: scopeSchema.nullable().parse(row.scope),
    expiresAt: row.expiresAt.getTime(),
    createdAt: row.createdAt.getTime(),
  };
}
