import { expect, test } from "vitest";
import { childIdOf } from "../../../src/core/events/child-task.ts";
import type { RestoreRequest } from "../../../src/core/history/file-restore.ts";
import { createIntake, type IntakeOptions } from "../../../src/core/inbound/intake.ts";
import type { FileState } from "../../../src/core/protocol/tool-result.ts";
import { intakeOptions, mention, privateText } from "../inbound/intake-fixture.ts";

const BEN = { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false };

const wrote = (path: string, before: string | null, sha256: string | null): FileState => ({
  path,
  sha256,
  action: "wrote",
  before,
});

/** Ana's session, whose runs have written the given files (oldest run first), and the restores that it requests. */
async function scene(runs: readonly (readonly FileState[])[]) {
  const { options, session, recorder } = await intakeOptions();
  const asked: RestoreRequest[] = [];
  const restoreFiles: IntakeOptions["restoreFiles"] = (request) => {
    asked.push(request);
    return Promise.resolve(
      request.steps.map(({ path }) => {
        if (path === "AGENTS.md" && !request.instructions) return { type: "instructs" } as const;
        return path === "theirs.txt" ? { type: "changed" } : { type: "restored" };
      }),
    );
  };
  const receive = createIntake({ ...options, restoreFiles });
  await receive(mention("begin"));
  await recorder.ended(1);
  const first = recorder.wakes[0]?.runId ?? "";
  const { id: sessionId = "" } = (await session()) ?? {};
  for (const [index, files] of runs.entries()) await ended(options, { sessionId, runId: `run_${index}` }, files);
  const said = async (text: string, more: Parameters<typeof mention>[1] = {}) =>
    privateText(await receive(mention(text, more)));
  return { options: { ...options, restoreFiles }, sessionId, asked, said, first };
}

interface Place {
  readonly sessionId: string;
  readonly runId: string;
}

let calls = 0;

async function ended({ store }: IntakeOptions, { sessionId, runId }: Place, files: readonly FileState[]) {
  calls += 1;
  const id = `call_${calls}`;
  await store.transaction(async (tx) => {
    await tx.toolCalls.add({ id: runId, sessionId }, calls, [{ type: "tool_use", id, name: "bash", input: {} }]);
    const result = { content: [], isError: false, files: [...files] };
    await tx.toolCalls.ended(runId, id, { result, durationMs: 1, at: 1_000 + calls });
  });
  return id;
}

const notes = async ({ store, runtime }: IntakeOptions, sessionId: string) => {
  const waiting = await store.inbox.waiting(sessionId, runtime.clock.now());
  return waiting.flatMap(({ body }) => (body.kind === "note" ? [body.text] : []));
};

test("/undo reverts one run at a time, and says when none is left", async () => {
  const { said, asked } = await scene([[wrote("a", "1", "2")], [wrote("b", null, "3"), wrote("theirs.txt", "4", "5")]]);
  expect(await said("/undo")).toBe(
    "✓ Undid my last changes: `b`. `/undo redo` reapplies them.\n" +
      "⚠ Left unchanged: `theirs.txt` · someone else has changed it since",
  );
  expect(await said("/undo")).toContain("✓ Undid my last changes: `a`.");
  expect(asked.map(({ steps }) => steps.map(({ path, from, to }) => `${path}: ${from} → ${to}`))).toEqual([
    ["b: 3 → null", "theirs.txt: 5 → 4"],
    ["a: 2 → 1"],
  ]);
  expect(await said("/undo")).toBe("I have no file changes left to undo here.");
});

test("/undo redo reapplies the changes of the last undo, once", async () => {
  const { said, asked } = await scene([[wrote("a", "1", "2")]]);
  expect(await said("/undo redo")).toBe("There is nothing to redo here.");
  await said("/undo");
  expect(await said("/undo redo")).toBe("✓ Reapplied my changes: `a`.");
  expect(asked.at(-1)?.steps).toEqual([{ path: "a", from: "1", to: "2" }]);
  expect(await said("/undo redo")).toBe("There is nothing to redo here.");
  expect(await said("/undo")).toContain("✓ Undid");
});

test("the model is told of an undo at its next turn, without a run of its own", async () => {
  const { said, options, sessionId } = await scene([[wrote("a", "1", "2"), wrote("theirs.txt", "4", "5")]]);
  await said("/undo");
  expect(await notes(options, sessionId)).toEqual([
    "[@ana has undone your changes to these files: `a`. Not touched: `theirs.txt`. " +
      "Do not make or undo these changes again unless asked; read a file before you change it.]",
  ]);
  expect(await options.store.inbox.nextWaking(sessionId, options.runtime.clock.now())).toBeNull();
});

test("/undo repeated after a crash between file and database writes is recorded once", async () => {
  const { said, options, sessionId } = await scene([[wrote("a", "1", "2")]]);
  const engine = { ...options.engine, deliver: () => Promise.reject(new Error("the process dies")) };
  const dying = createIntake({ ...options, engine });
  await expect(dying(mention("/undo"))).rejects.toThrow("the process dies");
  expect(await said("/undo")).toContain("✓ Undid my last changes: `a`.");
  expect(await notes(options, sessionId)).toHaveLength(1);
});

test.each([
  { who: "whoever asked for the change", approvers: [], requester: true, person: undefined, may: true },
  { who: "somebody else", approvers: [], requester: true, person: BEN, may: false },
  { who: "an approver", approvers: [BEN.id], requester: false, person: BEN, may: true },
  {
    who: "who asked, where requesters may not decide,",
    approvers: [],
    requester: false,
    person: undefined,
    may: false,
  },
])("$who may restore instruction files: $may", async ({ approvers, requester, person, may }) => {
  const { options, sessionId, first } = await scene([]);
  const { store } = options;
  await store.transaction((tx) => tx.sessions.addPerson(sessionId, BEN.id));
  const receive = createIntake({ ...options, approvals: { ...options.approvals, approvers, requester } });
  await ended(options, { sessionId, runId: first }, [wrote("AGENTS.md", "1", "2")]);
  const answer = privateText(await receive(mention("/undo", person === undefined ? {} : { person })));
  expect(answer).toContain(may ? "✓ Undid my last changes: `AGENTS.md`." : "⚠ No files were changed.");
});

test("changes of a run's sub-agents are undone with it", async () => {
  const { options, sessionId, asked, said } = await scene([[wrote("a", "1", "2")]]);
  const parentCallId = await ended(options, { sessionId, runId: "run_0" }, [
    { path: "b", sha256: null, action: "wrote" },
  ]);
  const id = childIdOf({ runId: "run_0", callId: parentCallId });
  const task = {
    agent: "explorer",
    description: "look",
    background: false,
    depth: 1,
    root: { sessionId, runId: "run_0" },
  };
  const child = { id, parentId: sessionId, parentRunId: "run_0", parentCallId, task };
  await options.store.transaction((tx) =>
    tx.children.create({ ...child, settings: {}, createdBy: "slack:U1", createdAt: 1 }),
  );
  await ended(options, { sessionId: id, runId: "run_child" }, [wrote("b", "3", "4")]);
  await said("/undo");
  expect(asked[0]?.steps).toEqual([
    { path: "a", from: "2", to: "1" },
    { path: "b", from: "4", to: "3" },
  ]);
});

test.each([
  ["/undo all", "I don't know `all`. Did you mean `/undo redo`?"],
  ["/undo redo now", "I don't know what to do with `now`."],
])("the reply to %s", async (typed, answer) => {
  const { said } = await scene([]);
  expect(await said(typed)).toBe(answer);
});

test("nothing is undone while a run is active", async () => {
  const { options, sessionId, asked, said } = await scene([[wrote("a", "1", "2")]]);
  await options.store.transaction((tx) => tx.runs.begin({ id: "run_now", sessionId, eventSeq: 900, at: 1 }));
  expect(await said("/undo")).toBe("I'm still working here. Send `/stop` first, then `/undo`.");
  expect(asked).toEqual([]);
});
