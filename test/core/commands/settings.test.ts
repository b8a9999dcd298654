import { expect, test } from "vitest";
import { childStartKey } from "../../../src/core/events/child-event.ts";
import { createIntake, type IntakeOptions } from "../../../src/core/inbound/intake.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { ConnectionLost } from "../../../src/core/protocol/database-failure.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { aPlatform } from "../../support/talk/a-platform.ts";
import { click, intakeOptions, mention, privateText, slash } from "../inbound/intake-fixture.ts";

const BEN = { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false };
const USUAL_ACCESS = { admins: [], deny: [], guests: false, external: false };
const USUAL_APPROVALS = { approvers: [], requester: true, expiresMinutes: 60, admins: [] };

/** Who may set which mode, by whom the operator trusts; the channel's usual mode is write. */
const trust: readonly {
  name: string;
  admins?: string[];
  approvers?: string[];
  requester?: boolean;
  wanted: string;
  answer: string;
}[] = [
  { name: "anyone may look only", admins: [BEN.id], wanted: "read", answer: "✓ Mode **read**" },
  { name: "anyone may go back to what is usual", admins: [BEN.id], wanted: "write", answer: "✓ Mode **write**" },
  { name: "the usual mode has a name of its own", wanted: "default", answer: "✓ Mode **write**" },
  { name: "where nobody is named, anyone may raise it", wanted: "agi", answer: "✓ Mode **agi**" },
  { name: "an admin may raise it", admins: ["slack:U1"], wanted: "agi", answer: "✓ Mode **agi**" },
  { name: "an approver may raise it", approvers: ["slack:U1"], wanted: "agi", answer: "✓ Mode **agi**" },
  {
    name: "where nobody may decide, nobody may raise it",
    requester: false,
    wanted: "agi",
    answer: "Only admins and approvers can raise the mode here from `write` to `agi`.",
  },
  {
    name: "beside named admins others may not",
    admins: [BEN.id],
    wanted: "agi",
    answer: "Only admins and approvers can raise the mode here from `write` to `agi`.",
  },
  {
    name: "a slip is met with a suggestion",
    wanted: "raed",
    answer: "I don't know the mode `raed`. Did you mean `read`?",
  },
];

test.each(trust)("/mode $wanted: $name", async ({ admins = [], approvers = [], requester = true, wanted, answer }) => {
  const { options, session } = await intakeOptions();
  const receive = createIntake({
    ...options,
    access: { ...USUAL_ACCESS, admins },
    approvals: { ...USUAL_APPROVALS, approvers, admins, requester },
  });
  expect(privateText(await receive(mention(`/mode ${wanted}`)))).toContain(answer);
  const isSet = answer.startsWith("✓") && wanted !== "write" && wanted !== "default";
  const { raised: _raised, ...settings } = (await session())?.settings ?? {};
  expect(settings).toEqual(isSet ? { mode: wanted } : {});
});

/** Commands typed one after the other in one thread. */
const models: readonly (readonly [typed: string, answer: string, settings: object])[] = [
  [
    "/model",
    "Model `anthropic/claude-sonnet-5-5`. It reads 1,000 tokens.\nAlso available (context window, US dollars per million tokens):\n- `anthropic/claude-haiku-5-5` · 1,000 tokens\n- `openai/gpt-6-sol` · 1,000 tokens\n",
    {},
  ],
  ["/model gpt-6-sol", "✓ Model `openai/gpt-6-sol` in this thread.", { model: "openai/gpt-6-sol" }],
  [
    "/model haiku high",
    "✓ Model `anthropic/claude-haiku-5-5`, effort high in this thread.",
    { model: "anthropic/claude-haiku-5-5", effort: "high" },
  ],
  [
    "/model claude",
    "Which one: `anthropic/claude-sonnet-5-5`, `anthropic/claude-haiku-5-5`?",
    { model: "anthropic/claude-haiku-5-5", effort: "high" },
  ],
  [
    "/model low",
    "✓ Model `anthropic/claude-haiku-5-5`, effort low in this thread.",
    { model: "anthropic/claude-haiku-5-5", effort: "low" },
  ],
  ["/model nowhere/x", "No provider is called nowhere.", { model: "anthropic/claude-haiku-5-5", effort: "low" }],
  ["/model nothing", "I don't know the model `nothing`.", { model: "anthropic/claude-haiku-5-5", effort: "low" }],
  [
    "/model openai/gpt-6-so",
    "⚠ It isn't on any list I have. It reads 1,000 tokens. Did you mean `openai/gpt-6-sol`?",
    { model: "openai/gpt-6-so", effort: "low" },
  ],
  ["/model default", "✓ Model `anthropic/claude-sonnet-5-5` in this thread.", {}],
];

test("/model shows, searches, validates and sets the session's model", async () => {
  const { options, session } = await intakeOptions();
  const receive = createIntake(options);
  for (const [typed, answer, settings] of models) {
    expect(privateText(await receive(mention(typed)))).toContain(answer);
    expect((await session())?.settings ?? {}).toEqual(settings);
  }
});

test("settings apply to one session only and survive /new", async () => {
  const { options, session } = await intakeOptions();
  const receive = createIntake(options);
  const other = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "2" } as const;
  await receive(mention("/mode read"));
  await receive(mention("/mode agi", { thread: other }));
  await receive(mention("/new"));
  expect((await session())?.settings).toEqual({ mode: "read" });
  expect((await session(other))?.settings).toMatchObject({ mode: "agi" });
});

test("/new is refused while a sub-agent is about to start", async () => {
  const { options, session } = await intakeOptions();
  const receive = createIntake(options);
  await receive(mention("/mode read"));
  const { id: parentId } = (await session()) ?? {};
  if (parentId === undefined) throw new Error("there is no session");
  const parent = { sessionId: parentId, runId: "run_1", callId: "c1" };
  const root = { sessionId: parentId, runId: "run_1" };
  const task = { agent: "explorer", description: "look", background: true, depth: 1, root };
  const origin = { parentId, parentRunId: "run_1", parentCallId: "c1" };
  const event = { key: childStartKey({ parent }), body: { kind: "resume", of: "place" } } as const;
  await options.store.transaction(async (tx) => {
    await tx.children.create({ id: "agt_1", ...origin, task, settings: {}, createdBy: "slack:U1", createdAt: 1 });
    await tx.inbox.insert({ sessionId: "agt_1", event, wakes: true, resumes: false, dueAt: 1, at: 1 });
  });
  for (const command of ["/new", "/undo"])
    expect(privateText(await receive(mention(command)))).toContain("I'm still working here.");
  await receive(mention("/stop"));
  expect(privateText(await receive(mention("/new")))).toContain("A new session starts here");
});

test("only participants of a thread and admins may change its settings; everyone may read them and stop runs", async () => {
  const { options, recorder, session } = await intakeOptions();
  const receive = createIntake(options);
  await receive(mention("begin"));
  await recorder.ended(1);
  const ben = { person: BEN };
  const changes = ["/mode agi", "/model default", "/compact", "/new", "/export", "/undo", "/undo redo"];
  for (const typed of [
    ...changes,
    "/agent plan",
    "/agent plan look",
    "/skill tidy",
    "/skill off",
    "@plan",
    "@plan look",
  ]) {
    expect(privateText(await receive(mention(typed, ben))), typed).toContain(
      "is for people who work with me in this thread",
    );
  }
  for (const typed of ["/agent", "/mode", "/skill", "/skill list", "/status"]) {
    expect(privateText(await receive(mention(typed, ben))), typed).not.toContain("people who work with me");
  }
  const picked = await receive(click("skill:tidy", ben));
  expect(privateText(picked)).toContain("is for people who work with me in this thread");
  expect((await session())?.people).toEqual(["slack:U1"]);
  expect(privateText(await receive(mention("/help", ben)))).not.toContain("/export");
  expect(privateText(await receive(mention("/stop", ben)))).toBe("Nothing is running in this thread.");
  const asAdmin = createIntake({ ...options, access: { ...USUAL_ACCESS, admins: [BEN.id] } });
  expect(privateText(await asAdmin(mention("/mode read", ben)))).toContain("✓ Mode **read**");
  expect((await session())?.settings).toEqual({ mode: "read" });
  await receive(mention("do you see that?", ben));
  expect(privateText(await receive(mention("/mode default", ben))), "who has asked something").toContain("✓ Mode");
});

test("a slash command in a channel lists the busy threads and how to stop one", async () => {
  const working = Promise.withResolvers<undefined>();
  const { options, recorder } = await intakeOptions(() => working.promise);
  const link = ({ threadId }: ThreadRef) => `https://chat.example/${threadId}`;
  const receive = createIntake({ ...options, describe: () => aPlatform({ link }) });
  expect(privateText(await receive(slash("stop")))).toBe("Nothing is running in this thread.");
  expect(privateText(await receive(slash("fork")))).toMatch(/nothing to fork\. Mention me in the thread you mean/);
  await receive(mention("tidy the logs"));
  await recorder.begun(1);
  const line = "⏳ Working: “tidy the logs” · [thread](https://chat.example/1)";
  expect(privateText(await receive(slash("status")))).toBe(line);
  expect(privateText(await receive(slash("stop")))).toBe(
    `To stop one, mention me in its thread and write \`/stop\`:\n${line}`,
  );
  expect(privateText(await receive(slash("status", "", { person: BEN })))).toContain("no session here yet");
  working.resolve(undefined);
  await recorder.ended(1);
});

test("a slash command in a channel cannot change settings, as it has no thread", async () => {
  const { options } = await intakeOptions();
  const receive = createIntake(options);
  expect(privateText(await receive(slash("mode", "read")))).toContain("This works only in a thread");
  expect(privateText(await receive(slash("mode")))).toContain("Mode **write**: I ask before");
});

test("a slash command reports a database failure", async () => {
  const { options } = await intakeOptions();
  const tools = () => Promise.reject(new ConnectionLost("Connection terminated unexpectedly"));
  expect(privateText(await createIntake({ ...options, tools })(slash("tools")))).toBe(
    "✗ My database is not responding. Try again in a moment.",
  );
});

test.each([
  ["typed in a message, which is delivered again", mention("/tools")],
  ["that nobody delivers again, so that its person is told", slash("tools")],
])("a redelivered command runs again only if it had failed: %s", async (_which, command) => {
  const { options } = await intakeOptions();
  let isAway = true;
  const tools: IntakeOptions["tools"] = () =>
    isAway ? Promise.reject(new Error("the tools are away")) : Promise.resolve([]);
  const receive = createIntake({ ...options, tools });
  const first = receive(command);
  if (command.kind === "message") await expect(first).rejects.toThrow("the tools are away");
  else expect(privateText(await first)).toMatch(/^✗ `\/tools` did not work\. .* the code \w{5}\.$/u);
  isAway = false;
  const answered = await receive(command);
  expect(privateText(answered)).toContain("0 of 0 tools");
  // A redelivered message gets the receipt of its first delivery.
  expect(await receive(command)).toEqual(command.kind === "message" ? answered : { type: "duplicate" });
});

test.each([
  {
    code: "thread_gone",
    says: "✗ I am not in this channel, or it is archived. Add me to it, then type `/tools` again.",
  },
  { code: "missing_scope", says: expect.stringMatching(/^✗ The chat platform does not let me/u) },
] as const)("a command that fails with $code is answered with a remedy", async (refused) => {
  const { options } = await intakeOptions();
  const tools = () => Promise.reject(new PlatformError(refused.code, "no"));
  const receive = createIntake({ ...options, tools });
  expect(privateText(await receive(slash("tools")))).toEqual(refused.says);
});
