import { z } from "zod";
import { type Author, authorSchema } from "../../protocol/messages.ts";
import { planStepSchema } from "../../protocol/plan.ts";
import { type Client, mapReadable, mapRow, type Stored } from "../database/client.ts";
import { generationsFrom } from "./session-tree.ts";

const bodySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("question"), question: z.string(), options: z.array(z.string()) }),
  z.object({ kind: z.literal("plan"), intro: z.string(), steps: z.array(planStepSchema) }),
]);
export type QuestionBody = z.infer<typeof bodySchema>;

const answerSchema = z.object({
  /** The clicked button: an option's number from 0, or the decision on a plan. Null if answered in words. */
  choice: z.union([z.number(), z.enum(["go", "drop"])]).nullable(),
  text: z.string(),
});
export type Answer = z.infer<typeof answerSchema>;

const statusSchema = z.enum(["open", "answered", "withdrawn"]);

export interface QuestionRow {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  /** The person whose next message is the answer; null if anyone's is. */
  readonly askedOf: string | null;
  readonly body: QuestionBody;
  readonly status: z.infer<typeof statusSchema>;
  readonly answer: Answer | null;
  readonly answeredBy: Author | null;
  readonly createdAt: number;
}

export type NewQuestion = Pick<QuestionRow, "id" | "sessionId" | "runId" | "askedOf" | "body"> & {
  readonly at: number;
};

export function questionReads(db: Client) {
  return {
    async get(id: string): Promise<QuestionRow | null> {
      return mapRow(await db.question.findUnique({ where: { id } }), toRow);
    },

    /** The oldest question open in the session, or else in the nearest generation of sub-agents; null if none is. */
    async openIn(sessionId: string): Promise<QuestionRow | null> {
      for await (const generation of generationsFrom(db, [sessionId])) {
        const row = await db.question.findFirst({
          where: { sessionId: { in: generation.map(({ id }) => id) }, status: "open" },
          orderBy: { createdAt: "asc" },
        });
        if (row !== null) return toRow(row);
      }
      return null;
    },

    /** Questions open in these sessions, oldest first. */
    async openOf(sessionIds: readonly string[]): Promise<QuestionRow[]> {
      const where = { sessionId: { in: [...sessionIds] }, status: "open" };
      return mapReadable(await db.question.findMany({ where, orderBy: { createdAt: "asc" } }), toRow);
    },

    async ofRun(runId: string): Promise<QuestionRow[]> {
      const rows = await db.question.findMany({ where: { runId }, orderBy: { createdAt: "asc" } });
      return rows.map(toRow);
    },

    /** People who answered a question of the run, whose words have so entered it. */
    async answerersOf(runId: string): Promise<Author[]> {
      const rows = await db.question.findMany({ where: { runId, status: "answered" } });
      const people = rows.flatMap((row) => toRow(row).answeredBy ?? []);
      return [...new Map(people.map((person) => [person.id, person])).values()];
    },
  };
}

export function questionWrites(db: Client) {
  return {
    ...questionReads(db),

    /** Opens a question, unless it was opened before. */
    async open({ id, sessionId, runId, askedOf, body, at }: NewQuestion): Promise<void> {
      if ((await db.question.count({ where: { id } })) > 0) return;
      const data = { id, sessionId, runId, askedOf, kind: body.kind, body: JSON.stringify(body), status: "open" };
      await db.question.create({ data: { ...data, createdAt: new Date(at) } });
    },

    async answer(id: string, { answer, by, at }: { answer: Answer; by: Author; at: number }): Promise<boolean> {
      const { count } = await db.question.updateMany({
        where: { id, status: "open" },
        data: {
          status: "answered",
          answer: JSON.stringify(answer),
          answeredBy: JSON.stringify(by),
          answeredAt: new Date(at),
        },
      });
      return count > 0;
    },

    /** Makes this person's next message the answer. False if the question is no longer open. */
    async askOf(id: string, personId: string): Promise<boolean> {
      const { count } = await db.question.updateMany({ where: { id, status: "open" }, data: { askedOf: personId } });
      return count > 0;
    },

    async withdraw(id: string): Promise<boolean> {
      const { count } = await db.question.updateMany({ where: { id, status: "open" }, data: { status: "withdrawn" } });
      return count > 0;
    },
  };
}

function toRow(row: Stored<"Question">): QuestionRow {
  const { id, sessionId, runId, askedOf } = row;
  return {
    id,
    sessionId,
    runId,
    askedOf,
    body: bodySchema.parse(JSON.parse(row.body)),
    status: statusSchema.parse(row.status),
    answer: row.answer === null ? null : answerSchema.parse(JSON.parse(row.answer)),
    answeredBy: row.answeredBy === null ? null : authorSchema.parse(JSON.parse(row.answeredBy)),
    createdAt: row.createdAt.getTime(),
  };
}
