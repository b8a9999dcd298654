import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import type { QueryConfig } from "../../../src/core/agents/query-config.ts";
import { createTurnContext } from "../../../src/core/engine/turn-context.ts";
import {
  createLocalCommands,
  type LocalOutput,
  localCommandAnswer,
  showOutputs,
} from "../../../src/core/input/local-command.ts";
import { localCommandIn } from "../../../src/core/input/local-command-text.ts";
import { messagesOf, type RunInputOptions } from "../../../src/core/input/run-input.ts";
import { takeInput } from "../../../src/core/input/take-input.ts";
import type { OutgoingMessage } from "../../../src/core/platform/outgoing.ts";
import type { QueryEvent } from "../../../src/core/protocol/events.ts";
import type { ContentBlock, Message } from "../../../src/core/protocol/messages.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { errorResult, type ToolResult, textResult } from "../../../src/core/protocol/tool-result.ts";
import { createRunJournal } from "../../../src/core/run/run-journal.ts";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import { defineTool, type ToolContext } from "../../../src/core/tool.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { type NativeSession, nativeSession, THREAD } from "../../support/native-session.ts";
import { countingIds } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { aPlatform } from "../../support/talk/a-platform.ts";
import { ScriptedModel, scenario } from "../agent/query-fixture.ts";

test.each([
  { text: "!ls -la", command: "ls -la", rest: "" },
  { text: "  !cat <<E\na\nE", command: "cat <<E\na\nE", rest: "" },
  { text: "!ls\n\nwhich of these is old?", command: "ls", rest: "which of these is old?" },
])("$text is a command", ({ text, command, rest }) => {
  expect(localCommandIn(text)).toEqual({ command, rest });
});

test.each(["!", "!!", "! no", "ls", "really!", ""])("“%s” is not a command", (text) => {
  expect(localCommandIn(text)).toBeNull();
});

type Execute = (command: string, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult>;

const ANA = { id: "slack:U1", name: "ana" };
const APPROVALS = { approvers: ["slack:U9"], requester: false, expiresMinutes: 60, admins: [] };

/** A bash tool that calls `execute`. */
function shell(execute: Execute) {
  return defineTool({
    name: "bash",
    description: "",
    input: z.object({ command: z.string() }),
    permission: "execute",
    parallel: false,
    afterCrash: "never",
    keepsState: true,
    grant: ({ command }) => ({ key: command, label: "this command" }),
    title: ({ command }) => command,
    execute: ({ command }, ctx, signal) => execute(command, ctx, signal),
  });
}

const ECHO: Execute = (command, ctx) =>
  Promise.resolve(
    textResult(`exit code 0\nstdout:\n${command} ${ctx.toolState ?? "~"}`, { exitCode: 0, toolState: command }),
  );

/** The session's run in one process; a second call stands for the process after a crash. */
function process({ store, clock }: NativeSession, execute: Execute, config: Partial<QueryConfig> = {}) {
  const stop = new AbortController();
  const target = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("nothing is posted")) };
  const context = createTurnContext({
    store,
    clock,
    log: silentLog,
    target,
    sessionId: "ses_1",
    runId: "run_1",
    epoch: 0,
    thread: THREAD,
    signal: stop.signal,
    suspended: new AbortController().signal,
    isResumed: true,
    isNewSession: false,
  });
  const journal = createRunJournal({
    store,
    context,
    runtime: { clock, ids: systemRuntime().ids },
    run: { id: "run_1", sessionId: "ses_1", resumed: true, isFirst: false },
    isAnswered: true,
    account: { personId: "slack:U1", channelId: "slack:C1" },
    toMessages: (event) => messagesOf(event, input),
  });
  const { query } = scenario({ model: ScriptedModel.inOrder(), tools: [shell(execute)], config });
  const ran: string[] = [];
  const input: RunInputOptions = {
    platform: {
      fetchThread: () => Promise.resolve([]),
      fetchFile: () => Promise.reject(new Error("no file was attached")),
      previews: () => setImmediate({ quoted: [], attachments: [] }),
      descriptor: aPlatform(),
    },
    ids: countingIds(),
    signal: stop.signal,
    saveAttachment: () => Promise.resolve(null),
    readDocument: () => Promise.resolve(null),
    notice: () => {},
    skills: () => skillCatalogue([], []),
    runCommand: ({ command }) => {
      ran.push(command);
      return Promise.resolve({ ...OUTPUT, command });
    },
  };
  const events: QueryEvent[] = [];
  const show = (event: QueryEvent) => void events.push(event);
  const typed = createLocalCommands({ store, context, query: { ...query, journal }, show, approvals: APPROVALS });
  const run = (command: string, seq: number, decides = true) => typed({ command, seq, author: ANA, decides });
  return { run, stop, events, ran, input, context, journal };
}

test("a command runs at once without approval, and its result is stored and shown like any call's", async () => {
  const session = await nativeSession();
  const { run, events } = process(session, ECHO);
  expect(await run("ls", 7)).toEqual({
    type: "user_local_command_output",
    command: "ls",
    stdout: "ls ~",
    stderr: "",
    exitCode: 0,
  });
  expect(events.map(({ type }) => type)).toEqual(["tool_start", "tool_end"]);
  expect(await session.store.toolCalls.ofRun("run_1")).toMatchObject([
    { callId: "local_7", name: "bash", input: { command: "ls" }, status: "ended", turn: 0 },
  ]);
});

test.each([
  { printed: "stdout:\nout\nstderr:\nls: no such file", stdout: "out", stderr: "ls: no such file" },
  { printed: "stderr:\nls: no such file", stdout: "", stderr: "ls: no such file" },
  { printed: "stdout:\nout", stdout: "out", stderr: "" },
  { printed: "[Nothing is here.]", stdout: "[Nothing is here.]", stderr: "" },
])("output and errors of $printed are distinguished", async ({ printed, ...apart }) => {
  const { run } = process(await nativeSession(), () =>
    Promise.resolve({ ...errorResult(`exit code 2\n${printed}`), exitCode: 2 }),
  );
  expect(await run("ls", 1)).toMatchObject({ ...apart, exitCode: 2 });
});

test("commands run once each, in order, in the working directory that the previous one left", async () => {
  const session = await nativeSession();
  let runs = 0;
  const counted: Execute = (command, ctx, signal) => {
    runs += 1;
    return ECHO(command, ctx, signal);
  };
  const first = process(session, counted);
  const outputs = await Promise.all([first.run("cd a", 1), first.run("pwd", 2)]);
  expect(outputs.map(({ stdout }) => stdout)).toEqual(["cd a ~", "pwd cd a"]);
  expect((await process(session, counted).run("pwd", 2)).stdout).toBe("pwd cd a");
  expect(runs).toBe(2);
});

test.each(["began a run together", "came while it works"])(
  "commands that %s run as typed, although links in the first are fetched",
  async (when) => {
    const native = await nativeSession();
    const { store, session, clock, engine } = native;
    const { context, journal, input, ran } = process(native, ECHO);
    const base = { kind: "message" as const, author: ANA, quoted: [], attachments: [], at: clock.now() };
    const place = { thread: THREAD, addressed: true, joinsThread: false };
    const bodyOf = (text: string) => ({ ...base, ...place, text, messageId: text });
    const bodies = ["!curl -O https://x.example/a", "!ls"].map(bodyOf);
    if (when === "came while it works") {
      for (const body of bodies) await engine.deliver(session.id, { key: body.text, body });
      await journal.takeSteering(1);
    } else {
      const events = bodies.map((body, seq) => ({ seq, sessionId: session.id, key: body.text, body }));
      const [event, ...pending] = events;
      if (event === undefined) throw new Error("nothing was typed");
      const begun = { sessionId: session.id, runId: "run_1", event, pending, resumed: false, session, isFirst: true };
      const wake = { ...begun, startedAt: clock.now() };
      await takeInput({ store, wake, context, complete: (messages) => Promise.resolve(messages) }, input);
    }
    expect(ran).toEqual(["curl -O https://x.example/a", "ls"]);
  },
);

test("context of messages that are not commands is gathered concurrently", async () => {
  const native = await nativeSession();
  const { store, session, clock } = native;
  const { context, input } = process(native, ECHO);
  const [at, run] = [clock.now(), { sessionId: session.id, runId: "run_1", resumed: false, session, isFirst: true }];
  let [looking, most] = [0, 0];
  const previews = async () => {
    most = Math.max(most, (looking += 1));
    await setImmediate();
    looking -= 1;
    return { quoted: [], attachments: [] };
  };
  const bodyOf = (text: string) => {
    const said = { author: ANA, quoted: [], attachments: [], thread: THREAD, addressed: true, joinsThread: false };
    return { kind: "message" as const, ...said, text, messageId: text, at };
  };
  const texts = ["see https://x.example/a", "and https://x.example/b"];
  const [event, ...pending] = texts.map((text, seq) => ({ seq, sessionId: session.id, key: text, body: bodyOf(text) }));
  if (event === undefined) throw new Error("nothing was said");
  const complete = (messages: readonly Message[]) => Promise.resolve(messages);
  const taken = { store, wake: { ...run, event, pending, startedAt: at }, context, complete };
  await takeInput(taken, { ...input, platform: { ...input.platform, previews } });
  expect(most).toBe(2);
});

test.each([
  { what: "in read mode", config: { mode: "read" as const }, says: "not available in read mode" },
  { what: "where tools are listed without it", config: { toolAllow: ["read"] }, says: "not enabled here" },
])("$what, it is not run", async ({ config, says }) => {
  const session = await nativeSession();
  const output = await process(session, ECHO, config).run("rm a", 1);
  expect(output).toMatchObject({ exitCode: 126, stdout: "" });
  expect(output.stderr).toContain(says);
});

test.each([
  {
    mode: "write" as const,
    exitCode: 126,
    says: "Not run: it needs a decision that @ana can't make. Only an approver",
  },
  { mode: "agi" as const, exitCode: 0, says: "" },
])("in $mode mode a person who may not decide gets exit code $exitCode", async ({ mode, exitCode, says }) => {
  const session = await nativeSession();
  const output = await process(session, ECHO, { mode }).run("rm a", 1, false);
  expect(output.exitCode).toBe(exitCode);
  expect(output.stderr).toContain(says);
});

test("a command that a crash interrupted is not run again", async () => {
  const session = await nativeSession();
  const begun = Promise.withResolvers<void>();
  const never: Execute = () => {
    begun.resolve();
    return Promise.withResolvers<ToolResult>().promise;
  };
  const lost = process(session, never).run("rm a", 1);
  await begun.promise;
  const output = await process(session, ECHO).run("rm a", 1);
  expect(output.stderr).toContain("interrupted by a restart; not run again");
  expect(await Promise.race([lost, Promise.resolve("still running")])).toBe("still running");
});

test("a stop ends the command, with a message", async () => {
  const session = await nativeSession();
  const begun = Promise.withResolvers<void>();
  const long: Execute = (_command, _ctx, signal) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  };
  const { run, stop } = process(session, long);
  const running = run("sleep 60", 1);
  await begun.promise;
  stop.abort(new CancelSignal({ by: "person", name: "@ana" }));
  expect((await running).stderr).toContain("Cancelled by @ana");
});

test.each([
  { result: textResult("exit code 0\nstdout:\na", { exitCode: 0 }), output: { stdout: "a", stderr: "", exitCode: 0 } },
  {
    result: { ...errorResult("exit code 2, in /workspace\nstderr:\nno"), exitCode: 2 },
    output: { stdout: "", stderr: "no", exitCode: 2 },
  },
  { result: textResult("exit code 0", { exitCode: 0 }), output: { stdout: "", stderr: "", exitCode: 0 } },
  { result: errorResult("Stopped after 60 s."), output: { stdout: "", stderr: "Stopped after 60 s.", exitCode: 126 } },
])("$result.content is shown like shell output", async ({ result, output }) => {
  const session = await nativeSession();
  expect(await process(session, () => Promise.resolve(result)).run("x", 1)).toMatchObject(output);
});

const OUTPUT: LocalOutput = {
  type: "user_local_command_output",
  command: "ls",
  stdout: "a\n",
  stderr: "",
  exitCode: 0,
};

function said(content: ContentBlock[], more: Partial<Message> = {}): Message {
  return { id: "m", role: "user", content, createdAt: 0, ...more };
}

test.each([
  { what: "a command alone", messages: [said([OUTPUT])], answers: true },
  {
    what: "a command beside thread conversation",
    messages: [said([OUTPUT]), said([{ type: "text", text: "hm" }], { context: true })],
    answers: true,
  },
  { what: "a command with words", messages: [said([OUTPUT, { type: "text", text: "why?" }])], answers: false },
  {
    what: "a command and somebody's request",
    messages: [said([OUTPUT]), said([{ type: "text", text: "go" }])],
    answers: false,
  },
  { what: "no command", messages: [said([{ type: "text", text: "go" }])], answers: false },
])("for $what the output alone is the answer: $answers", ({ messages, answers }) => {
  expect(localCommandAnswer([{ seq: 1, messages }])).toBe(answers ? "✓ `$ ls`\n```\na\n```" : null);
});

test.each([
  { what: "longer than a message", chars: 3_000, maxChars: 2_000 },
  { what: "of which the thread would show beginning and end", chars: 5_000, maxChars: 10_000 },
])("outputs are posted under their events' keys, an output $what as a file", async ({ chars, maxChars }) => {
  const posts = new Map<string, OutgoingMessage>();
  const post = (key: string, message: OutgoingMessage) => {
    posts.set(key, message);
    return Promise.resolve({ platform: "slack", channelId: "C1", messageId: key } as const);
  };
  const long = said([{ ...OUTPUT, stdout: "x".repeat(chars) }]);
  const taken = [
    { seq: 1, messages: [said([OUTPUT])] },
    { seq: 2, messages: [said([{ type: "text", text: "go" }])] },
    { seq: 3, messages: [long] },
  ];
  await showOutputs(taken, { context: { post }, maxChars });
  expect([...posts.keys()]).toEqual(["local:1", "local:3"]);
  expect(posts.get("local:3")).toMatchObject({
    markdown: "✓ `$ ls`\n```\n(attached)\n```",
    files: [{ name: "output.txt" }],
  });
});
