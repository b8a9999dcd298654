import { expect, test } from "vitest";
import type { MessageBody, PageMessage } from "../../../../src/adapters/render/local/wire.ts";
import { cardOf, isDecided, runHead, stepsIn } from "../../../../src/adapters/web/page/state/run-details.ts";
import { initialState, messagesOf, type PageState, reduce } from "../../../../src/adapters/web/page/state/state.ts";
import type { ServerFrame } from "../../../../src/adapters/web/wire.ts";

const STOP = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];
const ALLOW = [{ id: "approve:y:apr_1", label: "Allow once", style: "primary" as const }];

const ASK = body("list files", { by: "person" });
const FOLDED_RUN = body("✓ 3 turns · $1.00");
const ANSWER = body("Two files.", { lane: "answer" });

function body(markdown: string, extra: Partial<MessageBody> = {}): MessageBody {
  return { by: "deckhand", markdown, tone: "plain", buttons: [], files: [], signs: [], ...extra };
}

function message(seq: number, content: MessageBody, place: Partial<PageMessage> = {}): PageMessage {
  return { id: `m${seq}`, threadId: "t", position: seq, seq, at: 0, body: content, ...place };
}

function hear(state: PageState, heard: PageMessage): PageState {
  return reduce(state, { type: "frame", frame: { type: "message", message: heard, thread: null } });
}

test.each([
  { name: "nothing of ours", bodies: [body("✓ 3 turns · $1.00", { by: "person" })], state: "none" },
  { name: "an answer alone", bodies: [body("Just an answer, 3 turns long, for $5.")], state: "none" },
  { name: "a live message", bodies: [body("⏳ **build** · turn 2 · 6 s", { buttons: STOP })], state: "working" },
  { name: "a folded run", bodies: [body("✓ 3 turns · 2 tools · 6 s · $0.004")], state: "done" },
  { name: "a command of one's own", bodies: [body("✓ 1 tool · 0.2 s")], state: "done", summary: "1 tool · 0.2 s" },
  { name: "a failed run", bodies: [body("✗ 3 turns · 6 s · $0.10")], state: "failed" },
  { name: "a stopped run", bodies: [body("⏹ Stopped by @ana after 2 tools.")], state: "stopped" },
  { name: "two runs", bodies: [body("✗ 1 turn · $0.25"), body("Answer."), body("✓ 2 turns · $0.50")], state: "done" },
  {
    name: "a question that waits",
    bodies: [body("✓ 1 turn · $0.25"), body("⏸ **Run a command?**", { buttons: ALLOW })],
    state: "waiting",
  },
  {
    name: "a question that is decided",
    bodies: [body("✓ 1 turn · $0.25"), body("✓ Allowed once by @ana", { lane: "approval" })],
    state: "done",
  },
  {
    name: "an answer alone after another run",
    bodies: [ASK, FOLDED_RUN, ANSWER, ASK, ANSWER],
    state: "done",
    summary: "",
  },
  {
    name: "a command after an answer alone",
    bodies: [ASK, FOLDED_RUN, ANSWER, ASK, ANSWER, body("/usage", { by: "person" }), body("$1.00", { by: "note" })],
    state: "done",
    summary: "",
  },
  {
    name: "a failure alone after another run",
    bodies: [ASK, FOLDED_RUN, ANSWER, ASK, body("✗ The key is not accepted.", { lane: "answer", tone: "error" })],
    state: "failed",
    summary: "",
  },
  {
    name: "words that its run took up",
    bodies: [ASK, FOLDED_RUN, body("and quickly", { by: "person", signs: ["seen"] }), ANSWER],
    state: "done",
    summary: "3 turns · $1.00",
  },
  {
    name: "words that wait for the run's end",
    bodies: [ASK, body("⏸ **Run a command?**", { buttons: ALLOW }), ASK],
    state: "waiting",
    summary: "**Run a command?**",
  },
])("the run of a thread with $name", ({ bodies, state, summary }) => {
  const head = runHead(bodies.map((content, index) => message(index + 1, content)));
  expect(head.state).toBe(state);
  if (summary !== undefined) expect(head.summary).toBe(summary);
});

test("a card is decided once its buttons have gone; an answer never is", () => {
  expect(isDecided(body("⏸ **Run a command?**", { buttons: ALLOW, lane: "approval" }))).toBe(false);
  expect(isDecided(body("✓ Allowed once by @ana", { lane: "approval" }))).toBe(true);
  expect(isDecided(body("✓ All went well.", { lane: "answer" }))).toBe(false);
});

test.each([
  { buttons: ALLOW, card: "approval" },
  { buttons: [{ id: "answer:0:run_1:call_1", label: "Allow once", style: "default" as const }], card: "question" },
  { buttons: [{ id: "answer:go:run_1:call_1", label: "Go ahead", style: "primary" as const }], card: "plan" },
  { buttons: STOP, card: null },
])("a card with the button $buttons.0.id is marked as: $card", ({ buttons, card }) => {
  expect(cardOf(body("⏸ **Run a command?**", { buttons }))).toBe(card);
});

test("steps are the signed lines below a live message's head, whatever its text says", () => {
  const text = "⏳ **build** · turn 1\n✓ read `a` · 3 lines\n✗ bash · stopped after 60 s\n\nNow I will look.";
  expect(stepsIn(body(text, { buttons: STOP }))).toEqual([
    { sign: "✓", text: "read `a` · 3 lines" },
    { sign: "✗", text: "bash · stopped after 60 s" },
  ]);
});

test("an older state of a message never replaces a newer one, in whatever order they come", () => {
  let state = hear(
    initialState({ openId: "t", team: null, section: null }, []),
    message(5, body("new"), { id: "m", position: 1 }),
  );
  const late: ServerFrame = {
    type: "thread",
    threadId: "t",
    before: null,
    messages: [message(3, body("old"), { id: "m", position: 1 })],
    more: false,
  };
  state = reduce(state, { type: "frame", frame: late });
  expect(messagesOf(state, "t").map((one) => one.body.markdown)).toEqual(["new"]);
});

test("a page that starts afresh forgets what it knew, but not what is on its way", () => {
  const sending = { clientId: "c", threadId: "t", opens: false, text: "hi", files: [], at: 0, failure: null };
  let state = hear(
    initialState({ openId: "t", team: null, section: null }, [sending]),
    message(5, body("gone"), { id: "m", position: 1 }),
  );
  const welcome: ServerFrame = { type: "welcome", threads: [], seq: 9, changes: null, commands: [] };
  state = reduce(state, { type: "frame", frame: welcome });
  expect(messagesOf(state, "t")).toEqual([]);
  expect(state.sending).toEqual([sending]);
  expect(state.lastSeq).toBe(9);
});

test("news of another thread marks it unread until it is opened; one's own words do not", () => {
  let state = initialState({ openId: "elsewhere", team: null, section: null }, []);
  state = hear(state, message(1, body("mine", { by: "person" })));
  expect([...state.unread]).toEqual([]);
  state = hear(state, message(2, body("news")));
  expect([...state.unread]).toEqual(["t"]);
  state = reduce(state, { type: "opened", threadId: "t" });
  expect([...state.unread]).toEqual([]);
});
