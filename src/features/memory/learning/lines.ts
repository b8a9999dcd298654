import type { CallRecord } from "../../../core/events/call-record.ts";
import type { StoredEvent } from "../../../core/events/session-event.ts";
import { localCommandIn } from "../../../core/input/local-command-text.ts";
import { labelOf, type Message, textOf } from "../../../core/protocol/messages.ts";
import { isObject } from "../../../core/text/from-json.ts";
import { isWithin, originsIn } from "../../../core/trust/label.ts";
import { looksSecret } from "../acceptable.ts";
import { plainWords } from "../search/words.ts";

/** A line of a thread, as learning sees it. */
export interface Line {
  readonly text: string;
  /** The person who said it; null for the agent and for pages. */
  readonly author: { readonly id: string; readonly name: string } | null;
  /** Address of the page that it is from; null if it was said in the thread. */
  readonly foundAt: string | null;
  /** The line goes back to people: no outside content was in the context when it was said. */
  readonly isOwn: boolean;
  readonly at: number;
  /** The run that the line entered or came from. */
  readonly runId: string | null;
}

/** Maximum length of a line, and of all lines together, in characters; the oldest are left out. */
const LINE_CHARS = { message: 2_000, found: 1_000 };
const ALL_CHARS = 24_000;
/** Minimum number of distinct meaningful words in a thread that is worth a model call. */
const MIN_WORDS = 3;
const LEFT_OUT = "[left out: it looks like a password or a key]";

export interface ThreadContent {
  readonly events: readonly (StoredEvent & { readonly runId: string | null })[];
  readonly messages: readonly Message[];
  readonly calls: readonly (CallRecord & { readonly runId: string })[];
}

/** The messages, answers and pages of a thread, in order; without jobs, notes and shell commands. */
export function linesOf({ events, messages, calls }: ThreadContent): Line[] {
  const byPeople = events.flatMap(({ body, runId }): Line[] => {
    if (body.kind !== "message" || body.from !== undefined) return [];
    if (localCommandIn(body.text) !== null || body.text.trim() === "") return [];
    const { author, at } = body;
    return [line(body.text, LINE_CHARS.message, { author, foundAt: null, isOwn: true, at, runId })];
  });
  const since = Math.min(...byPeople.map(({ at }) => at));
  const all = [...byPeople, ...answersIn(messages, since), ...foundBy(calls, since)].toSorted((a, b) => a.at - b.at);
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
    return [line(text, LINE_CHARS.message, { author: null, foundAt: null, isOwn, at: message.createdAt, runId: null })];
  });
}

/** The contents of pages whose addresses were given to calls. */
function foundBy(calls: ThreadContent["calls"], since: number): Line[] {
  return calls.flatMap(({ input, result, runId }, index): Line[] => {
    const foundAt = addressIn(input);
    if (foundAt === null || result === null || result.isError) return [];
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    // Placed before the answers that used the page, since the exact time is unknown.
    return text === ""
      ? []
      : [line(text, LINE_CHARS.found, { author: null, foundAt, isOwn: false, at: since + index / 1_000, runId })];
  });
}

function addressIn(input: unknown): string | null {
  const url = isObject(input) ? input["url"] : null;
  return typeof url === "string" && URL.canParse(url) ? (new URL(url).href.split(/[?#]/u)[0] ?? null) : null;
}

/** Whether a text could be worth remembering; thanks, greetings and a bare yes are not. */
export function isWorthRemembering(text: string): boolean {
  return new Set(contentWords(text)).size >= MIN_WORDS;
}

/** Whether a thread could contain something to remember; a single question tells nothing. */
export function isWorthLearning(lines: readonly Line[]): boolean {
  const byPeople = lines.filter(({ author }) => author !== null);
  if (byPeople.length === 1 && byPeople.every(({ text }) => /^[^.!?。！？\n]*[?？؟]\s*$/u.test(text))) return false;
  return byPeople.some(({ text }) => isWorthRemembering(text));
}

/** Whether a text neither asks nor tells anything, so that recalled memories would be noise. */
export function isCourtesy(text: string): boolean {
  return contentWords(text).length === 0;
}

const COURTESY = new Set(
  plainWords("hello hi hey thank thanks please good morning evening great nice cool bye ok okay yes yep sure"),
);

function contentWords(text: string): string[] {
  return plainWords(text).filter((word) => !COURTESY.has(word));
}
