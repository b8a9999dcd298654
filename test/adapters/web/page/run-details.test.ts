import { expect, test } from "vitest";
import type { MessageBody, PageMessage } from "../../../../src/adapters/render/local/wire.ts";
import { cardOf, isDecided, runHead } from "../../../../src/adapters/web/page/state/run-details.ts";
import { initialState, messagesOf, type PageState, reduce } from "../../../../src/adapters/web/page/state/state.ts";
import type { ServerFrame } from "../../../../src/adapters/web/wire.ts";
import type { Shown, ShownEnd } from "../../../../src/core/protocol/shown.ts";

const ALLOW = [{ id: "approve:y:apr_1", label: "Allow once", style: "primary" as const }];

const ASK = body("list files", { by: "person" });
const ANSWER = body("Two files.", { lane: "answer", shows: { type: "answer", state: "done" } });
const CARD = body("⏸ **Run a command?**", { lane: "approval", buttons: ALLOW, shows: card("approval") });

function body(markdown: string, extra: Partial<MessageBody> = {}): MessageBody {
  return { by: "deckhand", markdown, tone: "plain", buttons: [], files: [], signs: [], ...extra };
}

function live(state: "working" | "waiting", head: string): MessageBody {
  return body(`⏳ ${head}`, { shows: { type: "live", state, head, lines: [] } });
}

function ended(state: ShownEnd, head: string): MessageBody {
  return body(head, { lane: "progress", shows: { type: "end", state, head, isFigures: state !== "stopped" } });
}

function card(kind: "approval" | "question" | "plan" | "offer"): Shown {
  return { type: "card", card: kind, head: "**Run a command?**", asks: "**Run a command?**" };
}

function message(seq: number, content: MessageBody, place: Partial<PageMessage> = {}): PageMessage {
  return { id: `m${seq}`, threadId: "t", position: seq, seq, at: 0, body: content, ...place };
}

function hear(state: PageState, heard: PageMessage): PageState {
  return reduce(state, { type: "frame", frame: { type: "message", message: heard, thread: null } });
}

test.each([
  { name: "nothing of ours", bodies: [body("✓ 3 turns · $1.00", { by: "person" })], state: "none" },
  { name: "words that look like a run", bodies: [body("✓ 3 turns · 2 tools · 6 s"), body("⏹ Over.")], state: "none" },
  { name: "a live message", bodies: [live("working", "**build** · turn 2 · 6 s")], state: "working" },
  { name: "a live message that waits", bodies: [live("waiting", "**build** · waits")], state: "waiting" },
  { name: "a folded run", bodies: [ended("done", "3 turns · 6 s")], state: "done", summary: "3 turns · 6 s" },
  { name: "a failed run", bodies: [ended("failed", "3 turns · 6 s · $0.10")], state: "failed" },
  { name: "a stopped run", bodies: [ended("stopped", "Stopped by @ana after 2 tools.")], state: "stopped" },
  { name: "two runs", bodies: [ended("failed", "1 turn"), ANSWER, ended("done", "2 turns")], state: "done" },
  { name: "a question that waits", bodies: [ended("done", "1 turn"), CARD], state: "waiting" },
  {
    name: "a question that is decided",
    bodies: [ended("done", "1 turn"), body("✓ Allowed once by @ana", { lane: "approval" })],
    state: "done",
  },
  {
    name: "a question that nobody need answer any more",
    bodies: [live("working", "**build**"), body("Question: which?\n⏹ No answer is needed.", { lane: "approval" })],
    state: "working",
  },
  {
    name: "an answer alone after another run",
    bodies: [ASK, ended("done", "1 turn"), ANSWER, ASK, ANSWER],
    state: "done",
    summary: "",
  },
  {
    name: "a command after an answer alone",
    bodies: [ASK, ended("done", "1 turn"), ANSWER, ASK, ANSWER, body("/usage", { by: "person" })],
    state: "done",
    summary: "",
  },
  {
    name: "a failure alone after another run",
    bodies: [ASK, ended("done", "1 turn"), ANSWER, ASK, body("✗ No key.", { lane: "answer", tone: "error" })],
    state: "failed",
    summary: "",
  },
  {
    name: "part of an answer alone, and why there is no more",
    bodies: [ASK, body("Two", { lane: "answer", footer: "✗ Stopped.", shows: { type: "answer", state: "failed" } })],
    state: "failed",
  },
  {
    name: "words that its run took up",
    bodies: [ASK, ended("done", "3 turns"), body("and quickly", { by: "person", signs: ["seen"] }), ANSWER],
    state: "done",
    summary: "3 turns",
  },
  {
    name: "words that wait for the run's end",
    bodies: [ASK, CARD, ASK],
    state: "waiting",
    summary: "**Run a command?**",
  },
])("the run of a thread with $name", ({ bodies, state, summary }) => {
  const head = runHead(bodies.map((content, index) => message(index + 1, content)));
  expect(head.state).toBe(state);
  if (summary !== undefined) expect(head.summary).toBe(summary);
});

test("a card is decided once its buttons have gone; an answer never is", () => {
  expect(isDecided(CARD)).toBe(false);
  expect(isDecided(body("✓ Allowed once by @ana", { lane: "approval" }))).toBe(true);
  expect(isDecided(body("✓ All went well.", { lane: "answer" }))).toBe(false);
});

test.each([
  { shows: card("approval"), marked: "approval" },
  { shows: card("question"), marked: "question" },
  { shows: card("plan"), marked: "plan" },
  { shows: card("offer"), marked: null },
  { shows: { type: "live" as const, state: "waiting" as const, head: "build", lines: [] }, marked: null },
])("what shows $shows is marked as: $marked", ({ shows, marked }) => {
  expect(cardOf(body("⏸ **Run a command?**", { buttons: ALLOW, shows }))).toBe(marked);
});

const NOTHING = { section: null, sending: [], uploads: [] };

test("an older state of a message never replaces a newer one, in whatever order they come", () => {
  let state = hear(initialState({ openId: "t", ...NOTHING }), message(5, body("new"), { id: "m", position: 1 }));
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

test("a page that meets another database forgets what it knew, but not what is on its way", () => {
  const sending = { clientId: "c", threadId: "t", opens: false, text: "hi", files: [], at: 0, failure: null };
  let state = hear(
    initialState({ openId: "t", ...NOTHING, sending: [sending] }),
    message(5, body("gone"), { id: "m", position: 1 }),
  );
  const welcome: ServerFrame = { type: "welcome", threads: [], seq: 3, changes: null, commands: [] };
  state = reduce(state, { type: "frame", frame: welcome });
  expect(messagesOf(state, "t")).toEqual([]);
  expect(state.sending).toEqual([sending]);
  expect(state.lastSeq).toBe(3);
});

const LOADED = { type: "thread", threadId: "t", before: null, more: false } as const;

function load(state: PageState, frame: Partial<Extract<ServerFrame, { type: "thread" }>>): PageState {
  return reduce(state, { type: "frame", frame: { ...LOADED, messages: null, ...frame } });
}

const wordsOf = (state: PageState) => messagesOf(state, "t").map((one) => one.body.markdown);

test("a thread that was deleted while another one was shown is asked for again when it is opened", () => {
  const file = { id: "f", name: "notes.txt", mediaType: "text/plain", size: 5 };
  const upload = { key: "k", threadId: "t", name: "notes.txt", file };
  let state = initialState({ openId: "t", ...NOTHING, uploads: [upload] });
  state = load(state, { messages: [message(1, body("gone"))] });
  state = reduce(state, { type: "opened", threadId: null });
  expect(state.loaded.has("t")).toBe(true);
  state = load(state, {});
  expect(state.loaded.has("t")).toBe(false);
  expect(wordsOf(state)).toEqual([]);
  // Its draft does not join another one unseen.
  expect(state.uploads).toEqual([upload]);
  state = load(reduce(state, { type: "opened", threadId: "t" }), {});
  expect(state.uploads).toEqual([{ ...upload, threadId: null }]);
});

test("what was not sent to a thread that was deleted is kept for a new one, unless it is to open the thread", () => {
  const file = { id: "f", name: "notes.txt", mediaType: "text/plain", size: 5 };
  const late = { clientId: "c", threadId: "t", opens: false, text: "late", files: [file], at: 0, failure: null };
  const shown = (opens: boolean, openId: string | null) =>
    hear(initialState({ openId, ...NOTHING, sending: [{ ...late, opens }] }), message(1, body("gone")));
  let state = load(shown(false, "t"), {});
  expect(state).toMatchObject({ openId: null, sending: [], uploads: [{ threadId: null, name: "notes.txt", file }] });
  expect(wordsOf(state)).toEqual([]);
  // Its words go, but it is listed until it is opened and what was not sent is kept.
  const threads = [{ id: "t", title: "gone", updatedAt: 0 }];
  state = load({ ...load(shown(false, "t"), { messages: [] }), openId: null, threads }, {});
  expect(state).toMatchObject({ threads, sending: [late], uploads: [] });
  expect(wordsOf(state)).toEqual([]);
  expect(load(shown(true, "t"), {})).toMatchObject({ openId: "t", sending: [{ opens: true }] });
});

test("who may only read is not told to begin a new thread where one was deleted", () => {
  const you = { type: "you", name: "vera", personId: "web:vera", role: "viewer", changeToken: "" } as const;
  const shown = load(initialState({ openId: "t", ...NOTHING }), { messages: [message(1, body("gone"))] });
  expect(load(shown, {}).notice).toBe("This thread was deleted. You can start a new one here.");
  expect(load(reduce(shown, { type: "frame", frame: you }), {}).notice).toBe("This thread was deleted.");
});

test("a form of a thread that is deleted goes on, and what it is answered is shown", () => {
  const form = { title: "New job", command: "jobs", line: "add", fields: [] };
  let state = load(initialState({ openId: "t", ...NOTHING }), { messages: [message(1, body("gone"))] });
  state = reduce(state, { type: "frame", frame: { type: "form", id: "c", threadId: "t", form, problems: {} } });
  state = reduce(load(state, {}), { type: "form_sent", clickId: "c" });
  state = reduce(state, { type: "frame", frame: { type: "reply", clickId: "c", body: body("✓ It is set up.") } });
  expect(state.reply?.threadId).toBe(state.openId);
  expect(state.form).toBeNull();
});

test("of a thread that is not loaded, nothing is kept but what comes while it is being loaded", () => {
  let state = hear(initialState({ openId: "elsewhere", ...NOTHING }), message(1, body("before")));
  expect(wordsOf(state)).toEqual([]);
  state = reduce(state, { type: "opened", threadId: "t" });
  for (const [seq, words, position] of [[7, "long ago", 2] as const, [8, "meanwhile", 8] as const]) {
    state = hear(state, message(seq, body(words), { position }));
  }
  const frame = { messages: [message(6, body("newest"))], more: true };
  state = load(state, frame);
  expect(wordsOf(state)).toEqual(["newest", "meanwhile"]);
  // A thread that was left again is not loaded, because news of it was not kept.
  state = reduce(initialState({ openId: "t", ...NOTHING }), { type: "opened", threadId: null });
  expect(load(state, frame).loaded.has("t")).toBe(false);
  state = reduce(state, { type: "opened", threadId: "t" });
  expect(load(state, { ...frame, before: 9 }).loaded.has("t")).toBe(false);
});

test("news is shown also where all messages that were asked for are notes to other people", () => {
  const state = load(initialState({ openId: "t", ...NOTHING }), { messages: [], more: true });
  expect(wordsOf(hear(state, message(1, body("news"))))).toEqual(["news"]);
});

test("what failed while no thread was shown is told once one is, whatever was shown until then", () => {
  let state = initialState({ openId: null, ...NOTHING, section: { name: "usage", rest: "" } });
  state = reduce(state, { type: "notice", text: "notes.txt was not attached." });
  state = reduce(state, { type: "section_opened", section: { name: "audit", rest: "" } });
  state = reduce(state, { type: "opened", threadId: "t" });
  expect(state.notice).toBe("notes.txt was not attached.");
  state = reduce(state, { type: "section_opened", section: { name: "audit", rest: "" } });
  expect(state.notice).toBeNull();
});

test("news of another thread marks it unread until it is opened; one's own words do not", () => {
  let state = initialState({ openId: "elsewhere", ...NOTHING });
  state = hear(state, message(1, body("mine", { by: "person" })));
  expect([...state.unread]).toEqual([]);
  state = hear(state, message(2, body("news")));
  expect([...state.unread]).toEqual(["t"]);
  state = reduce(state, { type: "opened", threadId: "t" });
  expect([...state.unread]).toEqual([]);
  // Messages that arrived while the page was disconnected mark their thread unread as well.
  const changes = [message(3, body("here"), { threadId: "t" }), message(4, body("there"), { threadId: "u" })];
  state = reduce(state, { type: "frame", frame: { type: "welcome", threads: [], seq: 4, changes, commands: [] } });
  expect([...state.unread]).toEqual(["u"]);
});
