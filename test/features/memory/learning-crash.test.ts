import { expect, test } from "vitest";
import { hold, text } from "../../support/model/model-script.ts";
import { isAllLearned, isLesson, notes, rowsOf, spentOnLessons, typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

const WORDS = "from now on the heron is deployed on Thursdays";
const NOTE = { text: "The heron is deployed on Thursdays", kind: "decision", says: "heron" } as const;

const lessons = (at: SlackOffice) => at.model.requests.filter(isLesson);

/** After another start: learned once, charged once for what was used, and nothing is left to learn. */
async function expectLearnedOnce(at: SlackOffice, channel: string, calls: number): Promise<void> {
  await at.bot.start();
  await at.until("it to be learned", () => rowsOf(at).length > 0 && isAllLearned(at));
  // Another thread's lesson comes after all that was due before it.
  await at.talk({ text: "the grebe is the service that writes the invoices", channel: at.channel() }).answered(1);
  await at.until("the other lesson", () => lessons(at).some(({ lastUserText }) => lastUserText.includes("grebe")));
  expect(lessons(at).filter(({ lastUserText }) => lastUserText.includes(WORDS))).toHaveLength(calls);
  expect(rowsOf(at).filter(({ text: row }) => row === NOTE.text)).toHaveLength(1);
  expect(spentOnLessons(at, channel)).toHaveLength(1);
}

test("killed before the lesson begins, it is learned after the next start, once", async () => {
  await using at = await slackOffice({ settings: { memory: { learnAfterMinutes: 0.05 } } });
  at.model.script((request) => (isLesson(request) ? notes(request, [NOTE]) : text("Noted.")));
  await at.bot.start();
  const channel = at.channel();
  await at.talk({ text: WORDS, channel }).answered(1);
  await at.until("the run to end", () => at.bot.output().includes('"event":"run_ended"'));
  await at.bot.kill("SIGKILL");
  expect(lessons(at)).toEqual([]);
  await expectLearnedOnce(at, channel, 1);
});

test("killed while the model is asked, it is asked again and learned once", async () => {
  await using at = await slackOffice({ settings: { memory: { learnAfterMinutes: 0 } } });
  const gate = hold();
  at.model.script((request) => {
    if (!isLesson(request)) return text("Noted.");
    return lessons(at).length === 1 ? [gate.part, text("lost")] : notes(request, [NOTE]);
  });
  await at.bot.start();
  const channel = at.channel();
  await at.talk({ text: WORDS, channel }).answered(1);
  await gate.reached;
  await at.bot.kill("SIGKILL");
  expect(rowsOf(at)).toEqual([]);
  await expectLearnedOnce(at, channel, 2);
});

test("killed after it has learned, it does not learn again", async () => {
  await using at = await slackOffice({ settings: { memory: { learnAfterMinutes: 0 } } });
  at.model.script((request) => (isLesson(request) ? notes(request, [NOTE]) : text("Noted.")));
  await at.bot.start();
  const channel = at.channel();
  await at.talk({ text: WORDS, channel }).answered(1);
  await at.until("the memory", () => rowsOf(at).length > 0);
  await at.bot.kill("SIGKILL");
  await expectLearnedOnce(at, channel, 1);
});

test("what a limit leaves no room for is not learned, and answers go on", async () => {
  await using at = await slackOffice({
    settings: { memory: { learnAfterMinutes: 0 }, budgets: { dayTokens: 40_000 } },
  });
  at.model.script((request) =>
    isLesson(request) ? notes(request, []) : [text("Noted."), { type: "usage", usage: { input: 39_900, output: 100 } }],
  );
  await at.bot.start();
  await at.talk({ text: WORDS, channel: at.channel() }).answered(1);
  await at.until("the lesson to be put off", () => at.bot.output().includes('"event":"not_learned"'));
  expect(lessons(at)).toEqual([]);
});

test("where learning is off, no thread costs a further call but one that somebody asks for", async () => {
  await using at = await slackOffice({ settings: { memory: { learn: false, learnAfterMinutes: 0 } } });
  at.model.script(() => text("Noted."));
  await at.bot.start();
  const channel = at.channel();
  await at.talk({ text: WORDS, channel }).answered(1);
  const other = at.talk({ text: "the grebe is the service that writes the invoices", channel });
  await other.answered(1);
  // What was due before it would be learned first.
  other.mention("/memory learn from this thread");
  await at.until("the lesson that was asked for", () => lessons(at).length > 0 && isAllLearned(at));
  expect(lessons(at).filter(({ lastUserText }) => lastUserText.includes(WORDS))).toEqual([]);
});

test("who wants to be forgotten is not learned of from what waits to be learned", async () => {
  await using at = await slackOffice({ settings: { memory: { learnAfterMinutes: 0.05 } } });
  at.model.script((request) => (isLesson(request) ? notes(request, []) : text("Noted.")));
  await at.bot.start();
  const channel = at.channel();
  await at.talk({ text: WORDS, channel }).answered(1);
  await at.until("the run to end", () => at.bot.output().includes('"event":"run_ended"'));
  expect(isAllLearned(at)).toBe(false);
  await typed(at, "forget me", { channel });
  expect(isAllLearned(at)).toBe(true);
  await at
    .talk({ text: "the grebe is the service that writes the invoices", channel: at.channel(), user: "U0BOB" })
    .answered(1);
  await at.until("the other lesson", () => lessons(at).length > 0);
  expect(lessons(at).filter(({ lastUserText }) => lastUserText.includes(WORDS))).toEqual([]);
});
