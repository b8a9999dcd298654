import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Permission, QueryConfig } from "../../../src/core/agents/query-config.ts";
import type { BudgetAccount, BudgetSettings } from "../../../src/core/budget/limits.ts";
import { BudgetStop, RunBudget } from "../../../src/core/budget/run-budget.ts";
import type { ChildEvent } from "../../../src/core/events/child-event.ts";
import { childIdOf } from "../../../src/core/events/child-task.ts";
import { peopleOfRun } from "../../../src/core/people/run-people.ts";
import { cancelledByPerson } from "../../../src/core/protocol/cancel-cause.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { configOfRun, taskTreeOfRun } from "../../../src/core/run/run-config.ts";
import { reportOf } from "../../../src/core/store/child-status.ts";
import { endChild, stopRun } from "../../../src/core/subagents/children.ts";
import { defineTool, type Tool } from "../../../src/core/tool.ts";
import { createAgent } from "../../../src/tools/native/agent.ts";
import { createAgentOutput } from "../../../src/tools/native/agent-output.ts";
import { NO_OWN_FILES } from "../../../src/tools/own-files.ts";
import { ANA, BEN, type NativeSession, nativeSession } from "../../support/native-session.ts";
import { buildConfig, DELEGATION } from "../../support/query-config.ts";
import { seededRandom } from "../../support/runtime.ts";
import { shippedAgent } from "../../support/shipped-agents.ts";

function tool(name: string, permission: Permission): Tool {
  return defineTool({
    name,
    description: name,
    input: z.object({}),
    permission,
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: name, label: name }),
    title: () => "",
    execute: () => Promise.resolve(textResult("done")),
  });
}

const CATALOGUE = [
  tool("agent", "none"),
  tool("read", "read"),
  tool("grep", "read"),
  tool("web_fetch", "execute"),
  tool("write", "write"),
  tool("bash", "execute"),
];
const AGENTS = new Map(["explorer", "reviewer", "build"].map((name) => [name, shippedAgent(name)]));
const CHILD = childIdOf({ runId: "run_1", callId: "call_1" });
const BEGIN = "child:ses_1:run_1:call_1";

function agentTool({ deps }: NativeSession): Tool {
  const models = { problemWith: (ref: string) => Promise.resolve(ref.startsWith("no/") ? "I cannot use it." : null) };
  return createAgent({ ...deps, agents: AGENTS, models, ownFiles: () => NO_OWN_FILES, catalogue: () => CATALOGUE });
}

interface Asking {
  readonly input?: object;
  readonly config?: Partial<QueryConfig>;
}

/** Calls `agent` with this configuration; returns the event that begins the child, or the refusal. */
async function ask({ input = {}, config = {} }: Asking, session?: NativeSession) {
  const opened = session ?? (await nativeSession());
  const ctx = { config: buildConfig({ model: "demo/demo", ...config }) };
  const asked = { description: "look", prompt: "Look.", ...input };
  const result = await opened.callTool(agentTool(opened), asked, ctx);
  const body = (await opened.store.inbox.byKey(BEGIN))?.body;
  const event: ChildEvent | null = body?.kind === "child" ? body : null;
  return { session: opened, event, said: result === null ? null : textOf(result.content) };
}

const role = (access: string) => ({ agentDefinition: { ...shippedAgent("build"), access } });
const READS = ["read", "grep"];
const FULL = [...READS, "web_fetch", "write", "bash"];

const rights: readonly (Asking & { name: string; access: string; mode: string; tools: readonly string[] })[] = [
  { name: "a full parent", access: "full", mode: "write", tools: FULL },
  {
    name: "an explorer of a full parent",
    input: { agent_type: "explorer" },
    access: "search-only",
    mode: "write",
    tools: [...READS, "web_fetch"],
  },
  {
    name: "a read-only parent",
    config: role("read-only"),
    access: "read-only",
    mode: "write",
    tools: [...READS, "web_fetch"],
  },
  {
    name: "a full type of a read-only parent",
    config: role("read-only"),
    input: { agent_type: "build" },
    access: "read-only",
    mode: "write",
    tools: [...READS, "web_fetch"],
  },
  {
    name: "a reviewer of a parent without a known role",
    config: role("everything"),
    input: { agent_type: "reviewer" },
    access: "everything",
    mode: "write",
    tools: [],
  },
  { name: "a parent in read mode", config: { mode: "read" }, access: "full", mode: "read", tools: READS },
  {
    name: "a job's parent with a granted tool",
    config: { mode: "read", grantedTools: ["bash"] },
    access: "full",
    mode: "read",
    tools: [...READS, "bash"],
  },
  {
    name: "a parent with a list of tools",
    config: { toolAllow: ["read", "agent"] },
    access: "full",
    mode: "write",
    tools: ["read"],
  },
  {
    name: "tools that were named, agent among them",
    input: { tools: ["agent", "read"] },
    access: "full",
    mode: "write",
    tools: ["agent", "read"],
  },
];

describe("a sub-agent never has more than its parent", () => {
  test.each(rights)("$name", async ({ access, mode, tools, ...asking }) => {
    const { event } = await ask(asking);
    expect([event?.access, event?.mode, event?.tools]).toEqual([access, mode, tools]);
  });

  test("while its parent is in plan mode, it may change nothing", async () => {
    const session = await nativeSession();
    await session.store.transaction((tx) => tx.plans.begin("ses_1"));
    expect((await ask({}, session)).event?.mode).toBe("read");
  });

  const refused = [
    { name: "a tool that the parent lacks", input: { tools: ["read", "fly"] }, said: /do not have: fly/u },
    {
      name: "a tool that the parent's role lacks",
      input: { tools: ["bash"] },
      config: role("read-only"),
      said: /do not have: bash/u,
    },
    { name: "a type that there is not", input: { agent_type: "pilot" }, said: /no agent type "pilot".*explorer/u },
    { name: "a model that cannot be used", input: { model: "no/model" }, said: /cannot use it/u },
  ];
  test.each(refused)("$name is refused, and no sub-agent starts", async ({ said, ...asking }) => {
    const answer = await ask(asking);
    expect(answer.said).toMatch(said);
    expect(answer.event).toBeNull();
  });
});

test("its run has the type, the turns and the tools that it was started with", async () => {
  const { event } = await ask({ input: { agent_type: "explorer", max_turns: 3 } });
  const config = buildConfig({ model: "demo/demo", agentDefinition: shippedAgent("explorer"), mode: "agi" });
  const hosts = { allowedHosts: [], blockedUrls: [], sinks: [] };
  const place = { config, sandboxRoot: "/", ...hosts, place: { platform: "", channel: "" } };
  const { agentDefinition, mode, toolAllow } = configOfRun(event ?? NOTHING, place, (own) => own).config;
  expect([agentDefinition.name, agentDefinition.access, agentDefinition.maxTurns]).toEqual([
    "explorer",
    "search-only",
    3,
  ]);
  expect(agentDefinition.prompt).toContain("You are explorer.");
  expect([mode, toolAllow]).toEqual(["write", [...READS, "web_fetch"]]);
});

test.each([
  { asked: {}, turns: 6 },
  { asked: { max_turns: 3 }, turns: 3 },
  { asked: { max_turns: 50 }, turns: 6 },
  { asked: { agent_type: "explorer", max_turns: 50 }, turns: 6 },
])("an executor asked for $asked gets at most the configured turns", async ({ asked, turns }) => {
  const delegation = { ...DELEGATION, maxTurns: 6 };
  const { event } = await ask({ input: asked, config: { delegation } });
  expect(event?.maxTurns).toBe(turns);
});

const NOTHING = { kind: "resume", of: "nothing" } as const;

test("a replayed call attaches to the child that it has started", async () => {
  const { session } = await ask({});
  await ask({}, session);
  expect(await session.store.children.ofRun("ses_1", "run_1")).toMatchObject([{ id: CHILD, parentCallId: "call_1" }]);
  expect(session.waits).toEqual(["waiting for worker", "waiting for worker"]);
});

test("no sub-agent starts after a stop, and queued ones never start", async () => {
  const session = await nativeSession();
  await session.store.transaction((tx) => tx.runs.requestCancel("run_1", cancelledByPerson(ANA)));
  expect((await ask({}, session)).said).toBe("Not started: you have been stopped.");

  const other = await nativeSession();
  await ask({}, other);
  await other.store.transaction((tx) => stopRun(tx, { sessionId: "ses_1", runId: "run_1" }, cancelledByPerson(ANA)));
  expect((await ask({}, other)).said).toBe("It was stopped before it started.");
});

test("a queued sub-agent is cancelled at once, and the next one gets its slot", async () => {
  const session = await nativeSession();
  const { store, engine, clock } = session;
  const delegation = { ...DELEGATION, concurrencyLimit: 1 };
  const config = buildConfig({ model: "demo/demo", delegation });
  const calls = ["call_1", "call_2", "call_3"];
  const asked = { description: "look", prompt: "Look.", run_in_background: true };
  for (const callId of calls) await session.callTool(agentTool(session), asked, { config, callId });
  const isHeld = (callId: string) => store.inbox.isHeld(`child:ses_1:run_1:${callId}`);
  expect(await Promise.all(calls.map(isHeld))).toEqual([false, true, true]);

  const output = createAgentOutput({ store, engine, clock, ownFiles: () => NO_OWN_FILES });
  const cancel = (callId: string) =>
    session.callTool(output, { agent_id: childIdOf({ runId: "run_1", callId }), action: "cancel" });
  expect(textOf((await cancel("call_2"))?.content ?? [])).toBe("It was stopped before it started.");
  expect(await isHeld("call_3")).toBe(true);
  expect(textOf((await cancel("call_1"))?.content ?? [])).toBe("It was stopped before it started.");
  expect(await isHeld("call_3")).toBe(false);
  expect(session.waits).toEqual([]);
});

test("a report includes the sub-agent's changes in its own files", async () => {
  const config = buildConfig({ model: "demo/demo", delegation: { ...DELEGATION, isolated: true } });
  const session = await nativeSession();
  const models = { problemWith: () => Promise.resolve(null) };
  const make = () => Promise.resolve("/own");
  const ownFiles = { ...NO_OWN_FILES, make, changes: (id: string) => Promise.resolve(`changes of ${id}`) };
  const deps = { ...session.deps, agents: AGENTS, models, ownFiles: () => ownFiles, catalogue: () => CATALOGUE };
  const asked = { description: "look", prompt: "Look." };
  await session.callTool(createAgent(deps), asked, { config });
  const body = (await session.store.inbox.byKey(BEGIN))?.body;
  await beginRun(session);
  await end(session, body?.kind === "child" ? body : null);
  const said = textOf((await session.callTool(createAgent(deps), asked, { config }))?.content ?? []);
  expect(said).toContain("It was stopped after 2 turns without finishing.");
  expect(said).toContain(`changes of ${CHILD}`);
});

/** Begins the child's run as the engine does. */
async function beginRun({ store, clock }: NativeSession): Promise<void> {
  const event = await store.inbox.byKey(BEGIN);
  if (event === null) throw new Error("nothing began");
  await store.transaction(async (tx) => {
    await tx.inbox.take([event.seq], "run_2");
    await tx.runs.begin({ id: "run_2", sessionId: CHILD, eventSeq: event.seq, at: clock.now() });
  });
}

async function end(session: NativeSession, event: ChildEvent | null): Promise<void> {
  if (event === null) throw new Error("nothing began");
  const outcome = { type: "max_turns", turns: 2 } as const;
  const endRun: Parameters<typeof endChild>[0]["endRun"] = (tx, at) => tx.runs.end("run_2", outcome, at);
  await endChild({ event, sessionId: CHILD, runId: "run_2", outcome, endRun }, session.deps);
}

test("its end wakes a waiting parent, and is stored as a note for any other", async () => {
  const waiting = await ask({});
  await beginRun(waiting.session);
  expect(await waiting.session.isWoken()).toBe(false);
  await end(waiting.session, waiting.event);
  expect(await waiting.session.isWoken()).toBe(true);
  expect((await ask({}, waiting.session)).said).toBe("It was stopped after 2 turns without finishing.");
  expect(await waiting.session.store.inbox.nextWaking("ses_1", waiting.session.clock.now())).toBeNull();

  const background = await ask({ input: { run_in_background: true } });
  expect(background.said).toContain(`agent_id: ${CHILD}`);
  await beginRun(background.session);
  await end(background.session, background.event);
  const note = await background.session.store.inbox.nextWaking("ses_1", background.session.clock.now());
  expect(note?.body).toMatchObject({ kind: "child_end", childId: CHILD, author: { id: ANA.id } });
});

test("authors of its input count as authors in the run that reads its report", async () => {
  const { session, event } = await ask({});
  await beginRun(session);
  const words = {
    id: "msg_1",
    role: "user",
    content: [],
    author: { id: BEN.id, name: BEN.name },
    createdAt: 0,
  } as const;
  await session.store.transaction((tx) => tx.messages.append(CHILD, "run_2", words));
  expect((await peopleOfRun(session.store, "run_1")).others).toEqual([]);
  await end(session, event);
  expect((await reportOf(session.store, CHILD))?.people.map(({ id }) => id)).toEqual([ANA.id, BEN.id]);
  expect((await peopleOfRun(session.store, "run_1")).others.map(({ id }) => id)).toEqual([BEN.id]);
});

const woken: readonly { name: string; autoWakeCount: number; background: boolean; begins: boolean }[] = [
  { name: "in the background, when it has been woken four times", autoWakeCount: 3, background: true, begins: true },
  { name: "in the background, when it has been woken five times", autoWakeCount: 4, background: true, begins: false },
  { name: "that it waits for, when it has been woken five times", autoWakeCount: 4, background: false, begins: true },
];

test.each(woken)("a parent begins a sub-agent $name in a row: $begins", async ({ autoWakeCount, ...expected }) => {
  const { background, begins } = expected;
  const session = await nativeSession();
  const { store, clock } = session;
  const at = clock.now();
  const task = { agent: "worker", description: "d", background: true, depth: 1, root: ROOT, autoWakeCount };
  const report = { status: "finished", text: "", changedFiles: [], people: [] } as const;
  const author = { id: ANA.id, name: ANA.name };
  const body = { kind: "child_end", childId: "agt_0", task, author, nonInteractive: false, job: null, at } as const;
  await store.transaction(async (tx) => {
    const event = { key: "note", body: { ...body, report: { ...report, changedFiles: [], people: [] } } };
    const { seq } = await tx.inbox.insert({ sessionId: "ses_1", event, wakes: true, resumes: false, dueAt: at, at });
    await tx.inbox.take([seq], "run_9");
    await tx.runs.begin({ id: "run_9", sessionId: "ses_1", eventSeq: seq, at });
  });
  const asked = { description: "look", prompt: "Look.", run_in_background: background };
  const result = await session.callTool(agentTool(session), asked, { runId: "run_9" });
  expect(textOf(result?.content ?? []).includes("without a message from a person")).toBe(!begins);
  const [child] = await store.children.ofRun("ses_1", "run_9");
  expect(child?.task.autoWakeCount).toBe(begins ? autoWakeCount + 1 : undefined);
  expect(child?.task.taskTree).toBe(begins ? "run_1" : undefined);
});

/** An output token costs a cent, and input is free. */
const CALL = {
  model: "m",
  inputTokens: 0,
  maxTokens: 1_000,
  price: { input: 0, output: 10_000, cacheRead: 0, cacheWrite: 0 },
};

const OUTPUT = { inputTokens: 0, outputTokens: 600, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Spends within one limit of ten dollars, and tells what remains of it. */
function spending({ store, clock }: NativeSession, limit: keyof BudgetSettings) {
  const who = { personId: ANA.id, channelId: "slack:C1" };
  const runtime = { clock, ids: { next: (prefix: string) => `${prefix}_1` }, random: seededRandom(1) };
  type Account = Pick<BudgetAccount, "sessionId" | "runId" | "root" | "taskTree">;
  return {
    spend: async (costUsd: number, of: { readonly runId: string; readonly sessionId: string }) => {
      const call = { model: "m", stopReason: "end_turn", costUsd, at: clock.now(), turn: 1, usage: OUTPUT } as const;
      await store.transaction((tx) => tx.usage.add({ ...call, ...who, ...of }));
    },
    /** Number of output tokens that the run's next call may use. */
    room: async (account: Account) => {
      const settings = { [limit]: 10 };
      const whole = { ...who, isJob: true, ...account };
      const budget = new RunBudget({ store, runtime, settings, account: whole, epoch: 0 });
      const reserving = budget.reserve(CALL, new AbortController().signal);
      for (let next = await reserving.next(); ; next = await reserving.next()) {
        if (next.done) return next.value;
      }
    },
  };
}

const ROOT = { sessionId: "ses_1", runId: "run_1" };

test.each(["runUsd", "sessionUsd"] as const)(
  "its spending counts towards its parent's limit %s, and vice versa",
  async (limit) => {
    const { session } = await ask({});
    await beginRun(session);
    const { spend, room } = spending(session, limit);
    const child = { sessionId: CHILD, runId: "run_2" };
    await spend(6, child);
    expect(await room(ROOT)).toBe(400);
    await spend(6, ROOT);
    await expect(room({ ...child, root: ROOT })).rejects.toBeInstanceOf(BudgetStop);
  },
);

test.each(["managedUsd", "jobUsd"] as const)(
  "%s also applies to runs started by ends of sub-agents, and not to a person's next run",
  async (limit) => {
    const { session, event } = await ask({ input: { run_in_background: true } });
    const { store, clock } = session;
    const { spend, room } = spending(session, limit);
    await beginRun(session);
    await spend(2, ROOT);
    await spend(3, { sessionId: CHILD, runId: "run_2" });
    await end(session, event);
    const note = await store.inbox.nextWaking("ses_1", clock.now());
    await store.transaction(async (tx) => {
      await tx.runs.end("run_1", { type: "max_turns", turns: 1 }, clock.now());
      await tx.inbox.take([note?.seq ?? 0], "run_9");
      await tx.runs.begin({ id: "run_9", sessionId: "ses_1", eventSeq: note?.seq ?? 0, at: clock.now() });
    });
    const woken = { sessionId: "ses_1", runId: "run_9" };
    const taskTree = taskTreeOfRun(note?.body ?? NOTHING, "run_9");
    expect(await room({ ...woken, taskTree })).toBe(500);
    await spend(1, woken);
    expect(await room({ sessionId: CHILD, runId: "run_2", root: ROOT, taskTree })).toBe(400);
    expect(await room({ sessionId: "ses_1", runId: "run_10", taskTree: "run_10" })).toBe(1_000);
  },
);
