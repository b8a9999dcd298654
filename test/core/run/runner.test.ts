import { expect, test } from "vitest";
import type { TurnContext, Wake } from "../../../src/core/engine/engine.ts";
import { createTurnContext } from "../../../src/core/engine/turn-context.ts";
import { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import type { RunView } from "../../../src/core/progress/run-view.ts";
import type { QueryOutcome } from "../../../src/core/protocol/events.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { CancelSignal, SuspendSignal } from "../../../src/core/protocol/signals.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import type { RunHook } from "../../../src/core/run/run-hooks.ts";
import { SessionRunner } from "../../../src/core/run/runner.ts";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { memoryPlatform } from "../../adapters/render/memory-platform.ts";
import { NO_FEATURES } from "../../support/command-services.ts";
import { ANA, nativeSession, THREAD } from "../../support/native-session.ts";
import { buildConfig } from "../../support/query-config.ts";
import { countingIds, seededRandom } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { type LogLine, type Reply, recordingLog, ScriptedModel, tool } from "../agent/query-fixture.ts";

const FACTS = { contextWindow: 200_000, maxOutputTokens: 64_000, price: null };

interface Scene {
  readonly replies: readonly Reply[];
  readonly tools?: readonly Tool[];
  readonly hooks?: readonly RunHook[];
}

/** A run begun by Ana's message, with a real store and a model that replies by the length of the conversation. */
async function scene({ replies, tools = [], hooks = [] }: Scene) {
  const native = await nativeSession();
  const { store, engine, clock, session, deps, ctx } = native;
  const model = ScriptedModel.byTurn(...replies);
  const platform = memoryPlatform(clock);
  const runtime = { clock, ids: countingIds(), random: seededRandom(1) };
  const logLines: LogLine[] = [];
  const log = recordingLog(logLines);
  const seen: string[] = [];
  const outcomes: QueryOutcome[] = [];
  const view: RunView = {
    show: ({ type }) => seen.push(type),
    finish: (outcome) => {
      outcomes.push(outcome);
      seen.push("finish");
      return Promise.resolve();
    },
    park: async () => void seen.push("park"),
    suspend: async () => void seen.push("suspend"),
  };
  const { signal } = new AbortController();
  const finaliser = new MessageFinaliser({ store, clock, log, platform: () => platform, signal });
  /** Creates a runner as a newly started process does. */
  const newRunner = () =>
    new SessionRunner({
      store,
      runtime,
      log,
      registry: {
        resolve: async () => ({ provider: model, model: "one", facts: FACTS }),
        available: () => ["scripted"],
      },
      budgets: {},
      finaliser,
      approvals: deps.approvals,
      engine,
      tools: () => tools,
      ...NO_FEATURES,
      cluster: onlyProcess({ clock, log }),
      hooks: () => hooks,
      skillsOf: () => skillCatalogue([], []),
      platform: () => platform,
      openView: () => () => view,
      channelConfigOf: () =>
        Promise.resolve({
          config: buildConfig({ model: "scripted/one" }),
          sandboxRoot: ctx.sandboxRoot,
          allowedHosts: [],
          blockedUrls: [],
          sinks: [],
          place: { platform: "Slack", channel: "ops" },
        }),
      instructionsOf: () => [],
      saveAttachment: () => Promise.resolve(null),
      readDocument: () => Promise.resolve(null),
    });
  let wakes = 0;
  /** Wakes the run once, under its next owner. */
  const wake = async (signal: AbortSignal = new AbortController().signal) => {
    const resumed = wakes++ > 0;
    const [event] = await store.inbox.ofRun("run_1");
    if (event === undefined) throw new Error("nothing began the run");
    const owned = await store.transaction((tx) => tx.sessions.raiseEpoch(session.id));
    const begun: Wake = {
      sessionId: session.id,
      runId: "run_1",
      event,
      resumed,
      session: owned.session,
      isFirst: !resumed,
      startedAt: clock.now(),
      pending: [],
    };
    return newRunner().run(begun, contextOf(owned.epoch, { signal, resumed }));
  };
  const contextOf = (epoch: number, { signal, resumed }: { signal: AbortSignal; resumed: boolean }): TurnContext =>
    createTurnContext({
      sessionId: session.id,
      runId: "run_1",
      thread: THREAD,
      epoch,
      store,
      clock,
      log: silentLog,
      target: platform,
      signal,
      suspended: new AbortController().signal,
      isResumed: resumed,
      isNewSession: !resumed,
    });
  const row = async () => {
    const run = await store.runs.get("run_1");
    if (run === null) throw new Error("there is no run");
    return run;
  };
  const history = async () =>
    (await store.messages.list(session.id)).map(({ role, content }) => `${role}: ${textOf(content)}`);
  return { ...native, model, platform, logLines, seen, outcomes, wake, row, history };
}

const answer = (text: string): unknown =>
  expect.objectContaining({
    type: "end_turn",
    message: expect.objectContaining({ content: [{ type: "text", text }] }),
  });
const CALL = { id: "call_1", name: "look", input: { path: "a.txt" } };

test("a run ends with its answer, which is in the history", async () => {
  const { wake, row, outcomes, seen, history } = await scene({ replies: [{ text: "Hello, ana." }] });
  expect(await wake()).toBe("ended");
  expect(outcomes).toEqual([answer("Hello, ana.")]);
  expect(seen.at(-1)).toBe("finish");
  expect(await row()).toMatchObject({ status: "ended" });
  expect(await history()).toEqual([expect.stringContaining("user: "), "assistant: Hello, ana."]);
});

test("a tool's result is sent to the model", async () => {
  const look = tool("look");
  const { wake, model, outcomes } = await scene({ replies: [{ calls: [CALL] }, { text: "Seen." }], tools: [look] });
  expect(await wake()).toBe("ended");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("look a.txt");
  expect(outcomes).toEqual([answer("Seen.")]);
});

test("a call that needs approval parks the run; once approved, the next wake runs it exactly once", async () => {
  let done = 0;
  const change = tool("look", {
    permission: "write",
    execute: async () => {
      done += 1;
      return textResult("changed");
    },
  });
  const { wake, row, store, clock, outcomes, seen } = await scene({
    replies: [{ calls: [CALL] }, { text: "Done." }],
    tools: [change],
  });
  expect(await wake()).toBe("parked");
  expect(seen.at(-1)).toBe("park");
  expect(done).toBe(0);

  const [asked] = await store.approvals.ofRun("run_1");
  const decision = { status: "allowed", scope: "once", decidedBy: ANA.name, at: clock.now() } as const;
  await store.transaction((tx) => tx.approvals.decide(asked?.id ?? "", decision));
  expect(await wake()).toBe("ended");
  expect(done).toBe(1);
  expect(outcomes).toEqual([answer("Done.")]);
  expect(await row()).toMatchObject({ status: "ended" });
});

test("a run stopped during the model's answer ends as cancelled, with the person who stopped it", async () => {
  const stop = new AbortController();
  const { wake, outcomes, row } = await scene({ replies: [{ text: "Half", hangs: true }] });
  const woken = wake(stop.signal);
  const cause = { by: "person", name: "@ben" } as const;
  stop.abort(new CancelSignal(cause));
  expect(await woken).toBe("ended");
  expect(outcomes).toEqual([{ type: "cancelled", cause }]);
  expect(await row()).toMatchObject({ status: "ended" });
});

test("a process that has lost the session neither writes nor posts", async () => {
  const loses = async () => {
    await store.transaction((tx) => tx.sessions.raiseEpoch("ses_1"));
    return textResult("too late");
  };
  const { wake, store, row, outcomes, seen, history } = await scene({
    replies: [{ calls: [CALL] }, { text: "Never said." }],
    tools: [tool("look", { execute: loses })],
  });
  await expect(wake()).rejects.toMatchObject({ code: "stale_owner" });
  expect(outcomes).toEqual([]);
  expect(seen.at(-1)).toBe("suspend");
  expect(await row()).toMatchObject({ status: "running" });
  expect((await history()).join()).not.toContain("too late");
});

test("a run interrupted by a shutdown resumes without repeating model calls", async () => {
  const shutdown = new AbortController();
  let tries = 0;
  const cut = tool("look", {
    execute: async () => {
      tries += 1;
      if (tries > 1) return textResult("seen");
      shutdown.abort(new SuspendSignal("shutdown"));
      throw shutdown.signal.reason;
    },
  });
  const { wake, row, model, outcomes, seen } = await scene({
    replies: [{ calls: [CALL] }, { text: "Seen." }],
    tools: [cut],
  });
  await expect(wake(shutdown.signal)).rejects.toBeInstanceOf(SuspendSignal);
  expect(seen.at(-1)).toBe("suspend");
  expect(await row()).toMatchObject({ status: "running" });
  expect(await wake()).toBe("ended");
  expect(tries).toBe(2);
  expect(model.requests).toHaveLength(2);
  expect(outcomes).toEqual([answer("Seen.")]);
});

test("a run of a hung process is taken over and ended once, and the former owner posts nothing", async () => {
  const began = Promise.withResolvers<void>();
  const hang = Promise.withResolvers<void>();
  let tries = 0;
  const hangs = async () => {
    tries += 1;
    if (tries > 1) return textResult("seen");
    began.resolve();
    await hang.promise;
    return textResult("too late");
  };
  const { wake, row, model, outcomes, history } = await scene({
    replies: [{ calls: [CALL] }, { text: "Seen." }],
    tools: [tool("look", { execute: hangs })],
  });
  const former = wake();
  await began.promise;
  expect(await wake()).toBe("ended");
  hang.resolve();
  await expect(former).rejects.toMatchObject({ code: "stale_owner" });
  expect(outcomes).toEqual([answer("Seen.")]);
  expect(model.requests).toHaveLength(2);
  expect(await row()).toMatchObject({ status: "ended" });
  expect((await history()).join()).not.toContain("too late");
});

test("a hook adds its data to the first request, and a failing hook is logged and skipped", async () => {
  const { wake, model, outcomes, logLines } = await scene({
    replies: [{ text: "ok" }],
    hooks: [
      { name: "broken", before: () => Promise.reject(new Error("no")) },
      { name: "sound", before: () => Promise.resolve("It rains.") },
    ],
  });
  expect(await wake()).toBe("ended");
  expect(outcomes).toEqual([answer("ok")]);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("It rains.");
  expect(logLines.filter(({ event }) => event === "hook_failed").map(({ fields }) => fields)).toMatchObject([
    { feature: "broken", runId: "run_1" },
  ]);
});

test("a hook that fails at or after a run's end does not prevent the end", async () => {
  const fail = () => {
    throw new Error("no");
  };
  const { wake, row, logLines } = await scene({
    replies: [{ text: "ok" }],
    hooks: [{ name: "broken", note: fail, ended: fail, after: fail }],
  });
  expect(await wake()).toBe("ended");
  expect(await row()).toMatchObject({ status: "ended" });
  expect(logLines.filter(({ event }) => event === "hook_failed")).toHaveLength(3);
});

test("a hook that fails after a run rolls back only its own work", async () => {
  const ended: string[] = [];
  const grown = (name: string, fails: boolean): RunHook => ({
    name,
    ended: ({ type }) => ended.push(`${name} ${type}`),
    after: async ({ session }, { type }, tx) => {
      await tx.sessions.setAgent(session.id, `${name} ${type}`);
      if (fails) throw new Error("no");
    },
  });
  const { wake, row, store, logLines } = await scene({
    replies: [{ text: "ok" }],
    hooks: [grown("sound", false), grown("broken", true)],
  });
  expect(await wake()).toBe("ended");
  expect(await row()).toMatchObject({ status: "ended" });
  expect((await store.sessions.get("ses_1"))?.agent).toBe("sound end_turn");
  expect(ended).toEqual(["sound end_turn", "broken end_turn"]);
  expect(logLines.filter(({ event }) => event === "hook_failed").map(({ fields }) => fields)).toMatchObject([
    { feature: "broken" },
  ]);
});
