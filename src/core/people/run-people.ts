import { z } from "zod";
import type { CallRecord } from "../events/call-record.ts";
import type { ChildReport } from "../events/child-event.ts";
import type { SessionEventBody, StoredEvent } from "../events/session-event.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { Author } from "../protocol/messages.ts";
import { reportOf } from "../store/child-status.ts";
import type { StoreReads } from "../store/store.ts";

/** The person to whom a run is attributed. */
export function authorOf(body: SessionEventBody): Author {
  switch (body.kind) {
    case "message":
    case "job":
    case "child":
    case "child_end":
      return body.author;
    case "compact":
    case "note":
      return body.by;
    case "resume":
      return { id: "deckhand", name: "deckhand" };
    default:
      return assertNever(body);
  }
}

/** The event that began a run; null if there is no such run. */
export async function startOf(store: Pick<StoreReads, "runs" | "inbox">, runId: string): Promise<StoredEvent | null> {
  const run = await store.runs.get(runId);
  return run === null ? null : store.inbox.get(run.eventSeq);
}

export interface RunPeople {
  /** The author of the event that began the run. */
  readonly requester: Author;
  /**
   * Everyone else whose words have entered the run since, whether addressed to it, overheard or read. Each appears
   * once.
   */
  readonly others: readonly Author[];
}

/**
 * The people of a run. A sub-agent's run inherits the people of its parent's, and a report adds those of the sub-agent.
 */
export async function peopleOfRun(store: StoreReads, runId: string): Promise<RunPeople> {
  const run = await store.runs.get(runId);
  const began = run === null ? null : await store.inbox.get(run.eventSeq);
  const requester = authorOf(began?.body ?? { kind: "resume", of: "nothing" });
  const [authors, answerers, events, calls] = await Promise.all([
    store.messages.authorsOfRun(runId),
    store.questions.answerersOf(runId),
    store.inbox.ofRun(runId),
    store.toolCalls.ofRun(runId),
  ]);
  const reports = run === null ? [] : await reportsRead(store, run, calls);
  const read = calls.flatMap(({ result }) => result?.people ?? []);
  const brought = events.flatMap(({ body }) => {
    if (body.kind === "child") return body.people;
    return body.kind === "child_end" ? [body.author, ...body.report.people] : [];
  });
  const all = [...authors, ...answerers, ...brought, ...read, ...reports.flatMap(({ people }) => people)];
  const others = new Map(all.map((author) => [author.id, author]));
  others.delete(requester.id);
  return { requester, others: [...others.values()] };
}

const namingAgent = z.object({ agent_id: z.string() });

/** Reports of the run's own children, and of other children that its calls have named. */
async function reportsRead(
  store: StoreReads,
  run: { readonly id: string; readonly sessionId: string },
  calls: readonly Pick<CallRecord, "input">[],
): Promise<ChildReport[]> {
  const children = await store.children.ofSession(run.sessionId);
  if (children.length === 0) return [];
  const named = calls.flatMap(({ input }) => namingAgent.safeParse(input).data?.agent_id ?? []);
  const read = children.filter(({ id, parentRunId }) => parentRunId === run.id || named.includes(id));
  const reports = await Promise.all(read.map(({ id }) => reportOf(store, id)));
  return reports.filter((report) => report !== null);
}
