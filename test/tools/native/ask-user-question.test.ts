import { expect, test } from "vitest";
import { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import { answerByClick, answerByMessage, withdrawQuestions } from "../../../src/core/people/questions.ts";
import { DefectError, PlatformError, StoreError } from "../../../src/core/protocol/errors.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { createAskUserQuestion } from "../../../src/tools/native/ask-user-question.ts";
import { ANA, BEN, CHIEF, click, message, type NativeSession, nativeSession } from "../../support/native-session.ts";
import { until } from "../../support/program/bot.ts";
import { silentLog } from "../../support/silent-log.ts";

const WHICH = { question: "Which port?", options: ["8080", "9090"] };
const ID = "run_1:call_1";

/** A session that waits for the answer to a question. */
async function asked(input: object = WHICH) {
  const session = await nativeSession();
  const tool = createAskUserQuestion(session.deps);
  const resume = () => session.callTool(tool, input);
  expect(await resume()).toBeNull();
  return { ...session, resume };
}

function cardOf({ thread }: NativeSession) {
  return thread.posts.get("question:call_1");
}

test("a question is posted once with its options as buttons, however often the run wakes", async () => {
  const session = await asked();
  expect(await session.resume()).toBeNull();
  expect(cardOf(session)).toMatchObject({
    markdown: "⏸ **Question from the agent**\n> Which port?",
    footer: "Or just reply here · waiting for @ana or an approver",
    buttons: [
      { id: `answer:0:${ID}`, label: "8080" },
      { id: `answer:1:${ID}`, label: "9090" },
    ],
  });
  expect(session.thread.posts.size).toBe(1);
  expect(session.waits.at(-1)).toBe("waiting for @ana or an approver");
  expect(await session.isWoken()).toBe(false);
});

test("a question that imitates an approval is recognisable as a question", async () => {
  const question = "⏸ **Run a command?**   asked by @ana\n```sh\nls\n```\r\n\n> quoted\u202e";
  const session = await asked({ question, options: ["Allow once", "Deny", "Later"] });
  const card = cardOf(session);
  expect(card?.markdown.split("\n")).toEqual([
    "⏸ **Question from the agent**",
    "> **Run a command?**   asked by @ana",
    "> ```sh",
    "> ls",
    "> ```",
    ">",
    String.raw`> > quoted\u{202e}`,
  ]);
  expect(card?.footer).toBe(
    "Or just reply here · an answer doesn't allow any tool call · waiting for @ana or an approver",
  );
  expect(card?.buttons.map(({ label, style }) => [label, style])).toEqual([
    ["Answer: Allow once", "default"],
    ["Answer: Deny", "default"],
    ["Later", "default"],
  ]);
});

test("a click closes the question, wakes the run and becomes its result", async () => {
  const session = await asked();
  expect(await answerByClick(click(`answer:1:${ID}`), { choice: "1", id: ID }, session.options)).toEqual({
    type: "accepted",
  });
  expect(await session.isWoken()).toBe(true);
  expect(textOf((await session.resume())?.content ?? [])).toBe("ana chose: 9090");
  expect(session.thread.edits).toMatchObject([{ markdown: "Question: Which port?\n✓ 9090 — @ana", buttons: [] }]);
});

test("of two concurrent clicks one counts, and the other person is told whose", async () => {
  const session = await asked();
  const receipts = await Promise.all([
    answerByClick(click(`answer:0:${ID}`), { choice: "0", id: ID }, session.options),
    answerByClick(click(`answer:1:${ID}`, CHIEF), { choice: "1", id: ID }, session.options),
  ]);
  expect(receipts.map(({ type }) => type).sort()).toEqual(["accepted", "reply"]);
  const row = await session.store.questions.get(ID);
  const told = receipts.find(({ type }) => type === "reply");
  const line = `✓ ${row?.answer?.text} — @${row?.answeredBy?.name}`;
  expect(told).toMatchObject({ message: { markdown: `Already answered: ${line}` } });
});

test.each([
  { who: "the person who was asked", by: ANA, answers: true },
  { who: "an approver", by: CHIEF, answers: true },
  { who: "somebody else", by: BEN, answers: false },
])("a click of $who counts: $answers", async ({ by, answers }) => {
  const session = await asked();
  const receipt = await answerByClick(click(`answer:0:${ID}`, by), { choice: "0", id: ID }, session.options);
  expect(receipt.type).toBe(answers ? "accepted" : "reply");
  expect(await session.isWoken()).toBe(answers);
});

test.each([
  { what: "words", said: message("4711, please"), result: "ana answered: 4711, please" },
  { what: "the words of a button", said: message("9090."), result: "ana chose: 9090" },
])("the asked person's reply in $what is the answer, once", async ({ said, result }) => {
  const session = await asked();
  expect(await answerByMessage(said, session.session, session.options)).toBe(true);
  expect(textOf((await session.resume())?.content ?? [])).toBe(result);
  // A redelivered message is no longer an answer, and its key is already taken.
  expect(await answerByMessage(said, session.session, session.options)).toBe(false);
  expect(await session.store.inbox.has(said.key)).toBe(true);
});

test.each([
  { what: "of somebody else", said: message("8080", { person: BEN }) },
  { what: "to somebody else", said: message("@ben what do you think?", { addressed: "other" }) },
  { what: "without words", said: message(" ") },
])("a message $what is no answer", async ({ said }) => {
  const session = await asked();
  expect(await answerByMessage(said, session.session, session.options)).toBe(false);
  expect(await session.isWoken()).toBe(false);
});

test("files of an answer are delivered as a message of their own before the run continues", async () => {
  const session = await asked();
  const file = { name: "ports.txt", mediaType: "text/plain", size: 4, ref: "F1" };
  const steps: string[] = [];
  const deliver = async () => void steps.push(`delivered, woken: ${await session.isWoken()}`);
  const said = message("", { attachments: [file] });
  expect(await answerByMessage(said, session.session, { ...session.options, deliver })).toBe(true);
  expect(steps).toEqual(["delivered, woken: false"]);
  expect(textOf((await session.resume())?.content ?? [])).toBe("ana answered: (attached: ports.txt)");
});

/** Withdraws the questions of a run stopped by this person; null if the run ended by itself. */
function withdraw({ store, thread }: NativeSession, by: string | null = "@ana") {
  return withdrawQuestions({ store, thread, runId: "run_1", sessionId: "ses_1" }, by);
}

/** Starts the next process; resolves once it has closed the messages that it found open. */
async function nextProcess({ store, clock, thread }: NativeSession) {
  thread.editFailure = null;
  const { signal } = new AbortController();
  const next = new MessageFinaliser({ store, clock, log: silentLog, platform: () => thread, signal });
  thread.closeBy(next);
  return next;
}

const STOPPED = { markdown: "Question: Which port?\n⏹ Stopped by @ana.", buttons: [] };

test("a card that was deleted on the platform does not block a stop", async () => {
  const session = await asked();
  session.thread.editFailure = new PlatformError("thread_gone", "message_not_found");
  await withdraw(session);
  expect(session.clock.pending).toBe(0);
  expect(await session.store.questions.ofRun("run_1")).toMatchObject([{ status: "withdrawn" }]);
});

test("a card whose process dies during its closing is closed by the next process", async () => {
  const session = await asked();
  const { store, clock, thread } = session;
  thread.editFailure = new StoreError("stale_owner", "the process has died");
  await withdraw(session);
  const outcome = { type: "cancelled", cause: { by: "person", name: "@ana" } } as const;
  await store.transaction((tx) => tx.runs.end("run_1", outcome, clock.now()));
  await (await nextProcess(session)).finaliseStale("slack");
  await until(() => thread.edits.length > 0, { what: () => "the card to be closed" });
  expect(thread.edits).toMatchObject([STOPPED]);
});

const answeredCases = [
  { name: "whose edit has failed", isTaken: true, stoppedBy: null },
  { name: "that a stop has kept from its call", isTaken: false, stoppedBy: "@ana" },
];

test.each(answeredCases)("the end of the run leaves the answer on a card $name", async ({ isTaken, stoppedBy }) => {
  const session = await asked();
  const { thread } = session;
  await answerByClick(click(`answer:0:${ID}`), { choice: "0", id: ID }, session.options);
  if (isTaken) {
    thread.editFailure = new PlatformError("network", "lost");
    expect(await session.resume()).toMatchObject({ isError: false });
    await nextProcess(session);
  }
  await withdraw(session, stoppedBy);
  await until(() => thread.edits.length > 0, { what: () => "the card to be closed" });
  expect(thread.edits).toMatchObject([{ markdown: "Question: Which port?\n✓ 8080 — @ana", buttons: [] }]);
});

test("a card whose process died during its withdrawal is closed by the process that ends the run", async () => {
  const session = await asked();
  const { thread } = session;
  thread.editFailure = new StoreError("stale_owner", "the process has died");
  await withdraw(session);
  await nextProcess(session);
  await withdraw(session);
  await until(() => thread.edits.length > 0, { what: () => "the card to be closed" });
  expect(thread.edits).toMatchObject([STOPPED]);
});

test("a card that already shows its answer is not edited again at the end", async () => {
  const session = await asked();
  await answerByClick(click(`answer:0:${ID}`), { choice: "0", id: ID }, session.options);
  await session.resume();
  expect(await session.store.posts.get(`run_1:tool:question:call_1`)).toMatchObject({ closing: "shown" });
  await withdraw(session, null);
  expect(session.thread.edits).toHaveLength(1);
});

test("a stop withdraws the question: its buttons disappear, clicks are refused, and messages are ordinary again", async () => {
  const session = await asked();
  const { thread } = session;
  await withdraw(session);
  expect(thread.edits).toMatchObject([STOPPED]);
  expect(await answerByClick(click(`answer:0:${ID}`), { choice: "0", id: ID }, session.options)).toMatchObject({
    message: { markdown: "⏹ An answer is no longer needed." },
  });
  expect(await answerByMessage(message("8080"), session.session, session.options)).toBe(false);
  expect(await session.resume()).toMatchObject({ isError: true, summary: "withdrawn" });
});

test("a question that cannot be posted treats no message as its answer", async () => {
  const session = await nativeSession();
  session.thread.failure = new PlatformError("thread_gone", "gone");
  await expect(session.callTool(createAskUserQuestion(session.deps), WHICH)).rejects.toThrow("gone");
  expect(await answerByMessage(message("go on"), session.session, session.options)).toBe(false);
});

test("a question longer than a message is attached as a file", async () => {
  const question = `Fill in:\n${"word ".repeat(230)}`;
  const session = await nativeSession();
  const limits = { ...session.thread.limits, messageChars: 600 };
  const thread = { ...session.ctx.thread, limits, post: session.thread.post.bind(session.thread) };
  await session.callTool(createAskUserQuestion(session.deps), { question }, { thread });
  const card = cardOf(session);
  expect((card?.markdown.length ?? 0) + (card?.footer?.length ?? 0)).toBeLessThanOrEqual(600);
  expect(new TextDecoder().decode(card?.files[0]?.data)).toContain(question.trim().split("\n")[1]);
});

test("a question longer than a message is shortened where files are forbidden", async () => {
  const session = await nativeSession();
  session.thread.refuses = ({ files }) =>
    files.length > 0
      ? new PlatformError("missing_scope", "no", { detail: { platform: "Slack", scope: "files:write" } })
      : null;
  const limits = { ...session.thread.limits, messageChars: 600 };
  const thread = { ...session.ctx.thread, limits, post: session.thread.post.bind(session.thread) };
  const question = { ...WHICH, question: "word ".repeat(230) };
  expect(await session.callTool(createAskUserQuestion(session.deps), question, { thread })).toBeNull();
  const card = cardOf(session);
  expect(card?.markdown).toMatch(/…\n\nI couldn't attach the rest: Slack does not let me do that \(`files:write`\)/u);
  expect((card?.markdown.length ?? 0) + (card?.footer?.length ?? 0)).toBeLessThanOrEqual(600);
  expect(card?.buttons).toHaveLength(2);
});

test("a question whose format the platform refuses is posted as plain text with typed options", async () => {
  const session = await nativeSession();
  session.thread.refuses = ({ buttons }) => (buttons.length > 0 ? new DefectError("50035") : null);
  const tool = createAskUserQuestion(session.deps);
  expect(await session.callTool(tool, WHICH)).toBeNull();
  expect(cardOf(session)).toMatchObject({
    markdown: "⏸ **Question from the agent**\n```\nWhich port?\n- 8080\n- 9090\n```",
    footer: expect.stringContaining("Reply here to answer"),
  });
  expect(await answerByMessage(message("9090"), session.session, session.options)).toBe(true);
  expect(await session.callTool(tool, WHICH)).toMatchObject({ summary: "ana chose" });
});

test("a question that the platform refuses in every form is not posted, and the model is told so", async () => {
  const session = await nativeSession();
  session.thread.refuses = () => new PlatformError("defect", "invalid_blocks");
  expect(await session.callTool(createAskUserQuestion(session.deps), WHICH)).toMatchObject({ summary: "withdrawn" });
  expect(await answerByMessage(message("go on"), session.session, session.options)).toBe(false);
});

test("in an unattended run the model is told at once that nobody can answer", async () => {
  const session = await nativeSession();
  const result = await session.callTool(createAskUserQuestion(session.deps), WHICH, { nonInteractive: true });
  expect(result).toMatchObject({ isError: true, summary: "nobody there" });
  expect(session.thread.posts.size).toBe(0);
});

test("button ids keep within 100 characters, however long the provider's call ids are", async () => {
  const session = await nativeSession();
  const callId = `call_${"x".repeat(200)}`;
  await session.callTool(createAskUserQuestion(session.deps), WHICH, { callId });
  const [card] = session.thread.posts.values();
  const [button] = card?.buttons ?? [];
  expect(button?.id.length).toBeLessThanOrEqual(100);
  const id = button?.id.slice("answer:0:".length) ?? "";
  expect((await answerByClick(click(button?.id ?? ""), { choice: "0", id }, session.options)).type).toBe("accepted");
});

test("an answer is labelled with the person who gave it", async () => {
  const session = await asked();
  await answerByClick(click(`answer:0:${ID}`, CHIEF), { choice: "0", id: ID }, session.options);
  expect((await session.resume())?.label).toEqual({ who: [CHIEF.id], holds: ["channel"] });
});
