import { z } from "zod";
import { attachmentSchema } from "../platform/inbound.ts";
import { threadRefSchema } from "../platform/thread.ts";
import { authorSchema } from "../protocol/messages.ts";
import { childEndSchema, childEventSchema } from "./child-event.ts";
import { jobEventSchema } from "./job-event.ts";

/** A skill that a person called, with the text after its name. */
const calledSkill = z.object({ name: z.string(), line: z.string() });
export type CalledSkill = z.infer<typeof calledSkill>;

/** The events that can wake a session. Stored as JSON in the inbox, so every kind has a schema. */

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
  /** True if the session begins inside an existing thread, whose root and newest messages it then reads. */
  joinsThread: z.boolean(),
  /** Whether the author may decide approvals, so that shell commands they typed need no one else's. */
  decides: z.boolean().exactOptional(),
  skill: calledSkill.exactOptional(),
  /** Origin of the text, if the author asked for it rather than wrote it. */
  from: z.string().exactOptional(),
  /** The note to people before the answer, if the message is taken late. */
  late: z.string().exactOptional(),
  /** The agent that answers in the session from this message on. */
  agent: z.string().optional(),
  /** Set if the message must begin a run of its own instead of entering one. */
  isOwnRun: z.literal(true).exactOptional(),
});
/** A person wants the session's history summarised. */
const compact = z.object({ kind: z.literal("compact"), by: authorSchema });
/** Something that a person did outside the conversation, for the model to learn at its next turn. Starts nothing. */
const note = z.object({
  kind: z.literal("note"),
  by: authorSchema,
  text: z.string(),
  at: z.number(),
  /** Whether the person wants it remembered. */
  isMemory: z.boolean().exactOptional(),
});
/** Arrival of what a parked run waits for: a decision, an answer, the end of a child or pause. `of`: for the log. */
const resume = z.object({ kind: z.literal("resume"), of: z.string() });

export const sessionEventBodySchema = z.discriminatedUnion("kind", [
  personMessage,
  compact,
  note,
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

/** `key` is the idempotency key: equal for each delivery of one event, different for all others. */
export interface SessionEvent {
  readonly key: string;
  readonly body: SessionEventBody;
}

/** Whether an event may begin a run by itself. Thread conversation is only kept as context. */
export function startsRun({ body }: SessionEvent): boolean {
  if (body.kind === "child") return body.queued !== true;
  return body.kind === "message" ? body.addressed : body.kind !== "resume" && body.kind !== "note";
}

/** Whether an event, with all that came after it, waits for a new run, because it changes what a run works with. */
function beginsOwnRun({ body }: SessionEvent): boolean {
  return body.kind === "compact" || (body.kind === "message" && (body.agent !== undefined || body.isOwnRun === true));
}

/**
 * Whether people's messages must wait for another run, because this one is a job's with more rights than its channel
 * allows. Those rights are for what the job says, not for other people's words.
 */
export function isClosedRun({ body }: SessionEvent): boolean {
  const rights = body.kind === "job" ? body : body.kind === "child_end" ? body.job : null;
  return rights !== null && (rights.mode === "agi" || rights.tools.length > 0);
}

/** Whether an event resumes a parked run. People's messages wait until then. */
export function resumesRun({ body }: SessionEvent): boolean {
  return body.kind === "resume";
}

export interface StoredEvent extends SessionEvent {
  /** Order of arrival. */
  readonly seq: number;
  readonly sessionId: string;
}

/** What a person said. */
export interface StoredMessage extends StoredEvent {
  readonly body: PersonMessageEvent;
}

/** An event that no run has taken. */
export interface WaitingEvent extends StoredEvent {
  /** Whether the event may begin a run by itself. */
  readonly wakes: boolean;
  /** Whether the event resumes a parked run. */
  readonly resumes: boolean;
}

/** The waiting events that enter a run: all before the first that must wait. `began`: what began the run. */
export function eventsEnteringRun(events: readonly StoredEvent[], began: SessionEvent | null): readonly StoredEvent[] {
  const isClosed = began !== null && isClosedRun(began);
  const end = events.findIndex((event) => beginsOwnRun(event) || (isClosed && isSaid(event)));
  return end === -1 ? events : events.slice(0, end);
}

function isSaid({ body }: SessionEvent): boolean {
  return body.kind === "message" || body.kind === "note";
}
