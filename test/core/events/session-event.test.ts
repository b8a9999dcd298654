import { expect, test } from "vitest";
import type { ChildEnd, ChildEvent } from "../../../src/core/events/child-event.ts";
import { eventsEnteringRun, isClosedRun, type SessionEventBody } from "../../../src/core/events/session-event.ts";
import { ANA, message } from "../../support/native-session.ts";

type Rights = NonNullable<ChildEvent["job"]>;

const LOOKS: Rights = { mode: "read", tools: [], budgetUsd: null };
const ASKS: Rights = { ...LOOKS, mode: "write" };
const UNASKED: Rights = { ...LOOKS, mode: "agi" };
const GRANTED: Rights = { ...LOOKS, tools: ["bash"] };

function jobRun(rights: Rights): SessionEventBody {
  return {
    kind: "job",
    jobId: "job_1",
    occurrenceId: "occ_1",
    attempt: 1,
    author: ANA,
    prompt: "",
    ...rights,
    ...TIMES,
  };
}

const TIMES = { timeoutMs: 1_000, at: 0 };

function endOfChild(job: Rights | null): ChildEnd {
  const root = { sessionId: "ses_1", runId: "run_1" };
  const task = { agent: "worker", description: "look", background: true, depth: 1, root };
  const report: ChildEnd["report"] = { status: "finished", text: "Done.", people: [], changedFiles: [] };
  return { kind: "child_end", childId: "ses_2", task, report, author: ANA, nonInteractive: false, job, at: 0 };
}

test.each<{ began: string; body: SessionEventBody; isClosed: boolean }>([
  { began: "a job that looks", body: jobRun(LOOKS), isClosed: false },
  { began: "a job that asks", body: jobRun(ASKS), isClosed: false },
  { began: "a job that asks for nothing", body: jobRun(UNASKED), isClosed: true },
  { began: "a job with tools of its own", body: jobRun(GRANTED), isClosed: true },
  { began: "the end of such a job's sub-agent", body: endOfChild(GRANTED), isClosed: true },
  { began: "the end of a person's sub-agent", body: endOfChild(null), isClosed: false },
])("$began began a run that people's words do not enter: $isClosed", ({ body, isClosed }) => {
  expect(isClosedRun({ key: "k", body })).toBe(isClosed);
});

test("a message that is a run of its own enters none, and neither does what comes after it", () => {
  const { kind: _kind, ...said } = message("Continue.");
  const body: SessionEventBody = {
    kind: "message",
    ...said,
    author: ANA,
    addressed: true,
    joinsThread: false,
    quoted: [],
    attachments: [],
  };
  const bodies: SessionEventBody[] = [body, { ...body, isOwnRun: true }, body];
  const events = bodies.map((each, seq) => ({ seq, sessionId: "ses_1", key: `k${seq}`, body: each }));
  expect(eventsEnteringRun(events, null).map(({ seq }) => seq)).toEqual([0]);
});
