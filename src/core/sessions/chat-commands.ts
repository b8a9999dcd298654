import { closest, distance } from "fastest-levenshtein";
import type { OutgoingMessage, Person } from "../protocol/platform.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { tokensOf } from "../protocol/usage.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import type { SessionEngine } from "./engine.ts";

/** What a command works on. `session` is null where the thread has none yet. */
export interface CommandContext {
  readonly store: Store;
  readonly engine: SessionEngine;
  readonly runtime: Runtime;
  readonly session: SessionRow | null;
  readonly person: Pick<Person, "id" | "name">;
  /** Tokens that the session's model reads at once; null when its model cannot be used. */
  readonly contextWindowOf: (session: SessionRow) => Promise<number | null>;
}

interface ChatCommand {
  readonly name: string;
  readonly description: string;
  run(context: CommandContext): Promise<string>;
}

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  {
    name: "help",
    description: "what I can do and how to begin",
    run: () => Promise.resolve(helpText()),
  },
  {
    name: "status",
    description: "what I am doing in this thread",
    run: statusText,
  },
  {
    name: "stop",
    description: "stop what I am doing in this thread",
    run: stop,
  },
  {
    name: "compact",
    description: "summarise what was said so far, to make room",
    run: compact,
  },
  {
    name: "new",
    description: "start afresh: what was said before is left behind",
    run: startAfresh,
  },
];

/** `/stop now` → stop, now; null when the text is no command. */
export function parseCommand(text: string): { readonly name: string; readonly args: string } | null {
  const match = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  return match?.[1] === undefined ? null : { name: match[1].toLowerCase(), args: match[2]?.trim() ?? "" };
}

/** Runs a command; its answer is for the person alone. */
export async function runCommand(name: string, context: CommandContext): Promise<OutgoingMessage> {
  const command = CHAT_COMMANDS.find((each) => each.name === name);
  return privately(command === undefined ? unknown(name) : await command.run(context));
}

export function privately(markdown: string): OutgoingMessage {
  return { lane: "answer", markdown, tone: "plain", buttons: [], files: [] };
}

export function helpText(): string {
  return [
    "Mention me with what you want done; I answer in a thread and show each step there.",
    "For example: `list files`, or `change port to 9090 in config.toml`.",
    "I work in this channel's own directory and touch nothing outside it. In a thread that you began with me you need not mention me again.",
    "",
    ...CHAT_COMMANDS.map(({ name, description }) => `\`/${name}\` · ${description}`),
    "",
    "In a thread, write a command after mentioning me.",
  ].join("\n");
}

function unknown(name: string): string {
  const nearest = closest(
    name,
    CHAT_COMMANDS.map((command) => command.name),
  );
  const suggestion = distance(name, nearest) <= 2 ? ` Did you mean \`/${nearest}\`?` : " `/help` lists what there is.";
  return `I don't know \`/${name}\`.${suggestion}`;
}

async function stop({ store, engine, session, person }: CommandContext): Promise<string> {
  const run = session === null ? null : await store.runs.open(session.id);
  if (session === null || run === null) return "Nothing is running in this thread.";
  await engine.cancel(session.id, run.id, `@${person.name}`);
  return "⏹ Stopping.";
}

async function statusText({ store, session, contextWindowOf }: CommandContext): Promise<string> {
  if (session === null) return "There is no session here yet. Mention me in this channel to begin one.";
  const [run, messages] = await Promise.all([store.runs.open(session.id), store.messages.countOf(session.id)]);
  const state = run === null ? "✓ Nothing is running." : `⏳ Working · turn ${Math.max(1, run.turns)}.`;
  const gauge = await gaugeText(store, session, await contextWindowOf(session));
  return `${state} Agent **${session.agent}**, ${messages} messages in this session.${gauge}`;
}

/** How full the model's window was at the newest response; empty before the first. */
async function gaugeText(store: Store, { id }: SessionRow, window: number | null): Promise<string> {
  const [newest, { at }] = await Promise.all([store.usage.newestTurn(id), store.compactions.newestOf(id)]);
  if (newest === null || window === null) return "";
  if (at !== null && at >= newest.at) return " Its context was shortened; the next answer tells by how much.";
  const tokens = tokensOf(newest.usage);
  return ` Context: ${Math.round((tokens / window) * 100)} % (${figure(tokens)} of ${figure(window)} tokens).`;
}

function figure(value: number): string {
  return value.toLocaleString("en-US");
}

async function compact({ store, engine, runtime, session, person }: CommandContext): Promise<string> {
  if (session === null) return "There is no session here yet, so there is nothing to summarise.";
  if ((await store.runs.open(session.id)) !== null)
    return "I am still working here. I summarise by myself when I must; or `/compact` again when I am done.";
  const by = { id: person.id, name: person.name };
  await engine.deliver(session.id, { key: `command:${runtime.ids.next("cmd")}`, body: { kind: "compact", by } });
  return "✓ I summarise what was said so far.";
}

async function startAfresh({ store, runtime, session, person }: CommandContext): Promise<string> {
  if (session === null) return "There is no session here yet, so there is nothing to leave behind.";
  if ((await store.runs.open(session.id)) !== null) return "I am still working here. `/stop` first, then `/new`.";
  const fresh = { id: runtime.ids.next("ses"), createdBy: person.id, at: runtime.clock.now() };
  await store.transaction((tx) => tx.sessions.startAfresh(session, fresh));
  return "✓ A new session begins here: I leave behind what was said before.";
}
