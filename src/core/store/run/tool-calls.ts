import { z } from "zod";
import { type CallRecord, type WriteIntent, writeIntentSchema } from "../../events/call-record.ts";
import type { ToolUseBlock } from "../../protocol/messages.ts";
import { type FileState, fileStateSchema, type ToolResult, toolResultSchema } from "../../protocol/tool-result.ts";
import { type Client, insert, type Stored, storedMs } from "../database/client.ts";

export interface ToolCallRow extends CallRecord {
  readonly turn: number;
  readonly durationMs: number | null;
  /** False for a call that was refused, or withdrawn before it ran. */
  readonly hasBegun: boolean;
}

export interface CallEnd {
  readonly result: ToolResult;
  readonly durationMs: number;
  /** Milliseconds since the epoch; absent if it is already stored. */
  readonly beganAt?: number | undefined;
  readonly at: number;
}

/** The files that one call wrote. */
export interface CallChanges {
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
  readonly files: readonly FileState[];
}

const filesSchema = z.array(fileStateSchema);

export function toolCallReads(db: Client) {
  return {
    /** The run's calls in the order in which the model asked for them. */
    async ofRun(runId: string): Promise<ToolCallRow[]> {
      const rows = await db.toolCall.findMany({
        where: { runId },
        orderBy: [{ turn: "asc" }, { position: "asc" }],
      });
      return rows.map(toRow);
    },

    /** The newest state that a tool has left in the session. */
    async toolState(sessionId: string, name: string): Promise<string | null> {
      const row = await db.toolCall.findFirst({
        where: { sessionId, name, toolState: { not: null } },
        orderBy: [{ endedAt: "desc" }],
        select: { toolState: true },
      });
      return row?.toolState ?? null;
    },

    /** The files that the calls of these sessions wrote, in the order in which the calls ended. */
    async changes(sessionIds: readonly string[]): Promise<CallChanges[]> {
      const rows = await db.toolCall.findMany({
        where: { sessionId: { in: [...sessionIds] }, files: { contains: '"wrote"' } },
        orderBy: [{ endedAt: "asc" }, { turn: "asc" }, { position: "asc" }],
        select: { sessionId: true, runId: true, callId: true, files: true },
      });
      return rows.map(({ files, ...call }) => {
        const states = files === null ? [] : filesSchema.parse(JSON.parse(files));
        return { ...call, files: states.filter(({ action }) => action === "wrote") };
      });
    },

    /** Files as the calls of the session's other runs left them, oldest first. */
    async filesBefore(sessionId: string, runId: string): Promise<FileState[]> {
      const rows = await db.toolCall.findMany({
        where: { sessionId, runId: { not: runId }, files: { not: null } },
        orderBy: [{ endedAt: "asc" }],
        select: { files: true },
      });
      return rows.flatMap((row) => (row.files === null ? [] : filesSchema.parse(JSON.parse(row.files))));
    },
  };
}

export function toolCallWrites(db: Client) {
  const change = async (runId: string, callId: string, data: Parameters<Client["toolCall"]["update"]>[0]["data"]) => {
    await db.toolCall.update({ where: { runId_callId: { runId, callId } }, data });
  };
  return {
    ...toolCallReads(db),

    async add(run: { id: string; sessionId: string }, turn: number, calls: readonly ToolUseBlock[]): Promise<void> {
      const data = calls.map((call, position) => ({
        runId: run.id,
        callId: call.id,
        sessionId: run.sessionId,
        turn,
        position,
        name: call.name,
        input: JSON.stringify(call.input ?? null),
        status: "pending",
      }));
      await insert(data, {
        one: (row) => db.toolCall.create({ data: row, select: { callId: true } }),
        many: (rows) => db.toolCall.createMany({ data: rows }),
      });
    },

    begun: (runId: string, callId: string, at: number): Promise<void> =>
      change(runId, callId, { status: "begun", beganAt: new Date(at) }),

    intends: (runId: string, callId: string, intent: WriteIntent): Promise<void> =>
      change(runId, callId, { intent: JSON.stringify(intent) }),

    ended: (runId: string, callId: string, { result, durationMs, beganAt, at }: CallEnd): Promise<void> =>
      change(runId, callId, {
        status: "ended",
        result: JSON.stringify(result),
        files: result.files?.length ? JSON.stringify(result.files) : null,
        toolState: result.toolState ?? null,
        durationMs: storedMs(durationMs),
        ...(beganAt === undefined ? {} : { beganAt: new Date(beganAt) }),
        endedAt: new Date(at),
      }),
  };
}

function toRow(row: Stored<"ToolCall">): ToolCallRow {
  const input: unknown = JSON.parse(row.input);
  return {
    callId: row.callId,
    turn: row.turn,
    name: row.name,
    input,
    status: row.status === "ended" || row.status === "begun" ? row.status : "pending",
    intent: row.intent === null ? null : writeIntentSchema.parse(JSON.parse(row.intent)),
    result: row.result === null ? null : toolResultSchema.parse(JSON.parse(row.result)),
    durationMs: row.durationMs,
    hasBegun: row.beganAt !== null,
  };
}
