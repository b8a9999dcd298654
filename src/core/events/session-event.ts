import { z } from "zod";
import { authorSchema } from "../protocol/messages.ts";
import { attachmentSchema, threadRefSchema } from "../protocol/platform.ts";
import { childEndSchema, childEventSchema } from "./child-event.ts";
import { jobEventSchema } from "./job-event.ts";

/** A skill that a person called, with what was typed after its name. */
const calledSkill = z.object({ name: z.string(), line: z.string() });
export type CalledSkill = z.infer<typeof calledSkill>;

/** What can wake a session. Stored as JSON in the inbox, so every kind has a schema. */

const personMessage = z.object({
  kind: z.literal("message"),
  author: authorSchema,
  text: z.string(),
  quoted: z.array(z.string()),
  attachments: z.array(attachmentSchema),
  thread: threadRefSchema,
  messageId: z.string(),
  at: z.number(),
  /** False for thread conversation that is kept as context and starts nothing. */
  addressed: z.boolean(),
  /** True when the session begins inside an existing thread, whose root and newest messages it gets. */
  joinsThread: z.boolean(),
  /** The author may decide what is asked of people: nobody else need allow the shell commands of theirs. */
  decides: z.boolean().exactOptional(),
  skill: calledSkill.exactOptional(),
  /** The origin of the text, where the author has asked for it and not written it. */
  from: z.string().exactOptional(),
  /** Taken late: what people read before the answer. */
  late: z.string().exactOptional(),
  /** The agent that answers in the session from this message on. */
  agent: z.string().optional(),
  /** It begins a run of its own, and enters none that goes on. */
  isOwnRun: z.literal(true).exactOptional(),
});
/** A person wants the session's history summarised. */
const compact = z.object({ kind: z.literal("compact"), by: authorSchema });
/** What a person has done beside the conversation, for the model to know at its next turn; starts nothing. */
const note = z.object({
  kind: z.literal("note"),
  by: authorSchema,
  text: z.string(),
  at: z.number(),
  /** A person wants it kept in mind. */
  isMemory: z.boolean().exactOptional(),
});
/** A durable timer fired. */
const timer = z.object({ kind: z.literal("timer"), timerId: z.string() });
/** What a parked run waits for has come: a decision, an answer, the end of a child or of a pause. `of` names it, for the log. */
const resume = z.object({ kind: z.literal("resume"), of: z.string() });

export const sessionEventBodySchema = z.discriminatedUnion("kind", [
  personMessage,
  compact,
  note,
  timer,
  resume,
  jobEventSchema,
  childEventSchema,
  childEndSchema,
]);
/** The kinds that this version knows. */
export const EVENT_KINDS: ReadonlySet<string> = new Set(
  sessionEventBodySchema.options.flatMap(({ shape }) => [...shape.kind.values]),
);
export type SessionEventBody = z.infer<typeof sessionEventBodySchema>;
export type NoteEvent = z.infer<typeof note>;
export type PersonMessageEvent = z.infer<typeof personMessage>;

/** `key` is the idempotency key of DESIGN §4. */
export interface SessionEvent {
  readonly key: string;
  readonly body: SessionEventBody;
}

/** Whether an event may begin a run by itself; thread conversation is only kept as context. */
export function startsRun({ body }: SessionEvent): boolean {
  if (body.kind === "child") return body.queued !== true;
  return body.kind === "message" ? body.addressed : body.kind !== "resume" && body.kind !== "note";
}

/** Whether an event waits for a run of its own, with all that came after it: it changes what a run works with. */
function beginsOwnRun({ body }: SessionEvent): boolean {
  return body.kind === "compact" || (body.kind === "message" && (body.agent !== undefined || body.isOwnRun === true));
}

/**
 * Whether what people say meanwhile waits for a run of its own: a run of a job that was granted more than its place allows, for what
 * the job says, which does not hold for anybody's words beside.
 */
export function isClosedRun({ body }: SessionEvent): boolean {
  const rights = body.kind === "job" ? body : body.kind === "child_end" ? body.job : null;
  return rights !== null && (rights.mode === "agi" || rights.tools.length > 0);
}

/** Whether a parked run goes on with it; what people say meanwhile waits until then. */
export function resumesRun({ body }: SessionEvent): boolean {
  return body.kind === "resume" || body.kind === "timer";
}

export interface StoredEvent extends SessionEvent {
  /** Order of arrival. */
  readonly seq: number;
  readonly sessionId: string;
}

/** An event that no run has taken. */
export interface WaitingEvent extends StoredEvent {
  /** It may begin a run by itself. */
  readonly wakes: boolean;
  /** A parked run goes on with it. */
  readonly resumes: boolean;
}

/** What of all that waits enters a run: all before what is to begin one of its own. `began` is what began it. */
export function entering(events: readonly StoredEvent[], began: SessionEvent | null): readonly StoredEvent[] {
  const isClosed = began !== null && isClosedRun(began);
  const end = events.findIndex((event) => beginsOwnRun(event) || (isClosed && isSaid(event)));
  return end === -1 ? events : events.slice(0, end);
}

function isSaid({ body }: SessionEvent): boolean {
  return body.kind === "message" || body.kind === "note";
}
