import type { CallRecord } from "../../../core/events/call-record.ts";
import type { StoredEvent } from "../../../core/events/session-event.ts";
import { localCommandIn } from "../../../core/input/local-command-text.ts";
import { labelOf, type Message, textOf } from "../../../core/protocol/messages.ts";
import { isObject } from "../../../core/text/from-json.ts";
import { isWithin, originsIn } from "../../../core/trust/label.ts";
import { looksSecret } from "../acceptable.ts";
import { plainWords } from "../search/words.ts";

/** A line of a thread, as it is learned from. */
export interface Line {
  readonly text: string;
  /** Whoever said it; null: the agent, or nobody. */
  readonly author: { readonly id: string; readonly name: string } | null;
  /** The address of a page that it stands on; null: it was said in the thread. */
  readonly foundAt: string | null;
  /** What it says goes back to people: no outside content was there when the agent said it. */
  readonly isOwn: boolean;
  readonly at: number;
  /** The run that it entered, or that it is from. */
  readonly runId: string | null;
}

/** Characters of a line, and of all of them: what is older is left out. */
const LINE_CHARS = { said: 2_000, found: 1_000 };
const ALL_CHARS = 24_000;
/** Words that tell something, in a thread that is worth a call. */
const LEAST_WORDS = 3;
const LEFT_OUT = "[left out: it looks like a password or a key]";

export interface ThreadContent {
  /** What runs have taken. */
  readonly events: readonly (StoredEvent & { readonly runId: string | null })[];
  readonly messages: readonly Message[];
  readonly calls: readonly (CallRecord & { readonly runId: string })[];
}

/** What was said in a thread, in order; what pages said that were read there; nothing of jobs, notes and shell commands. */
export function linesOf({ events, messages, calls }: ThreadContent): Line[] {
  const said = events.flatMap(({ body, runId }): Line[] => {
    if (body.kind !== "message" || body.from !== undefined) return [];
    if (localCommandIn(body.text) !== null || body.text.trim() === "") return [];
    const { author, at } = body;
    return [line(body.text, LINE_CHARS.said, { author, foundAt: null, isOwn: true, at, runId })];
  });
  const since = Math.min(...said.map(({ at }) => at));
  const all = [...said, ...answersIn(messages, since), ...foundBy(calls, since)].toSorted((a, b) => a.at - b.at);
  let left = ALL_CHARS;
  const fitting = all.toReversed().filter(({ text }) => (left -= text.length) >= 0);
  return fitting.toReversed();
}

function line(text: string, maxChars: number, rest: Omit<Line, "text">): Line {
  return { text: looksSecret(text) ? LEFT_OUT : text.slice(0, maxChars).toWellFormed(), ...rest };
}

function answersIn(messages: readonly Message[], since: number): Line[] {
  return messages.flatMap((message, index): Line[] => {
    const text = textOf(message.content);
    if (message.role !== "assistant" || message.createdAt < since || text.trim() === "") return [];
    const label = labelOf(messages.slice(0, index + 1));
    const isOwn = originsIn(label).length === 0 && isWithin(label, "private");
    return [line(text, LINE_CHARS.said, { author: null, foundAt: null, isOwn, at: message.createdAt, runId: null })];
  });
}

/** What stood at an address that a call was given. */
function foundBy(calls: ThreadContent["calls"], since: number): Line[] {
  return calls.flatMap(({ input, result, runId }, index): Line[] => {
    const foundAt = addressIn(input);
    if (foundAt === null || result === null || result.isError) return [];
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    // Before the answers that were made of it; when it was found is not known more closely.
    return text === ""
      ? []
      : [line(text, LINE_CHARS.found, { author: null, foundAt, isOwn: false, at: since + index / 1_000, runId })];
  });
}

function addressIn(input: unknown): string | null {
  const url = isObject(input) ? input["url"] : null;
  return typeof url === "string" && URL.canParse(url) ? (new URL(url).href.split(/[?#]/u)[0] ?? null) : null;
}

/** Whether words could be worth remembering: thanks, greetings and a bare yes are not. */
export function tellsSomething(text: string): boolean {
  return new Set(toldWords(text)).size >= LEAST_WORDS;
}

/** Whether a thread could hold something: one question alone asks, and tells nothing. */
export function isWorthLearning(lines: readonly Line[]): boolean {
  const said = lines.filter(({ author }) => author !== null);
  if (said.length === 1 && said.every(({ text }) => /^[^.!?。！？\n]*[?？؟]\s*$/u.test(text))) return false;
  return said.some(({ text }) => tellsSomething(text));
}

/** Whether nothing is asked or told: what is remembered of it would be noise. */
export function isCourtesy(text: string): boolean {
  return toldWords(text).length === 0;
}

const COURTESY = new Set(
  plainWords("hello hi hey thank thanks please good morning evening great nice cool bye ok okay yes yep sure"),
);

function toldWords(text: string): string[] {
  return plainWords(text).filter((word) => !COURTESY.has(word));
}
