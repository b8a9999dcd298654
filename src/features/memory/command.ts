import { firstWord, readArguments } from "../../core/command-line/arguments.ts";
import type { ChatCommand, CommandContext, CommandReply } from "../../core/command-line/command.ts";
import { didYouMean, nearest } from "../../core/command-line/nearest.ts";
import { quoteInput } from "../../core/command-line/quote-input.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import type { FormValues } from "../../core/protocol/form.ts";
import { counted } from "../../core/text/counted.ts";
import { inlineCode } from "../../core/text/plain-text.ts";
import type { Act } from "../../feature.ts";
import type { WriteAudit } from "../../feature-host.ts";
import { readerIn } from "./audience.ts";
import { addForm, editForm, refusedForm } from "./forms.ts";
import type { Learner } from "./learning/learner.ts";
import { listedLine } from "./listed-line.ts";
import type { KeepResult, Memories, MemoryInput } from "./memories.ts";
import { exportedLine, kindSchema, type Memory } from "./memory.ts";
import { keepInMind, rememberCommand } from "./remember.ts";
import { mayChange } from "./rights.ts";

/** Maximum number of lines in a list; older memories are only counted. */
const MAX_LINES = 20;
const LINE_CHARS = 200;
/** Maximum number of memories in an exported file. */
const MAX_EXPORTED = 10_000;
const OFF = "Memory is off in this channel; `/memory on` turns it on.";

type Verb = (typed: Typed, use: Use) => Promise<CommandReply>;

interface CommandScope {
  readonly memories: Memories;
  readonly learner: Pick<Learner, "ask" | "dropThreadsOf">;
  readonly audit: WriteAudit;
}

interface Use extends CommandScope {
  readonly context: CommandContext;
}

interface Typed {
  /** The words beside flags, and the values that a form gives in their place. */
  readonly text: string;
  readonly scope?: string | undefined;
  readonly kind?: string | undefined;
}

const VERBS: Readonly<Record<string, Verb>> = {
  list,
  search,
  add,
  edit,
  pin: (typed, use) => pinned(typed, use, true),
  unpin: (typed, use) => pinned(typed, use, false),
  forget,
  learn,
  off: (_typed, use) => turned(use, false),
  on: (_typed, use) => turned(use, true),
  export: exported,
};

/** `/memory` shows and changes what is remembered; `/remember` adds to it. */
export function memoryCommands(commanding: CommandScope): Readonly<Record<"memory" | "remember", ChatCommand["run"]>> {
  return {
    memory: memoryCommand(commanding),
    async remember(line, context) {
      const text = line.trim();
      if (text === "") return rememberCommand.run(line, context);
      const outcome = await keptHere(text, { ...commanding, context });
      if ("refused" in outcome) return privateMessage(`✗ ${outcome.refused}`);
      const isInMind = context.session !== null && (await keepInMind(text, context));
      const here = isInMind ? "keep it in mind in this thread and " : "";
      return privateMessage(
        `✓ I'll ${here}remember it for this channel as #${outcome.memory.seq}. ${takesBack(outcome.memory)}`,
      );
    },
  };
}

function memoryCommand(commanding: CommandScope): ChatCommand["run"] {
  return async (line, context) => {
    const { word, rest } = firstWord(line);
    const verb = word === "" ? "list" : word;
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (run !== undefined) {
      const read = argumentsIn(rest);
      return read.type === "broken"
        ? privateMessage(read.reason)
        : run(filledIn(read.typed, context.filled), { ...commanding, context });
    }
    const all = Object.keys(VERBS);
    const known = `Use ${all.map((one) => `\`/memory ${one}\``).join(", ")}.`;
    return privateMessage(`I don't know ${quoteInput(verb)}.${didYouMean(nearest(verb, all), known)}`);
  };
}

const FLAGS = ["number", "what", "query", "text", "scope", "kind"];

/** Whether the text starts with a flag or contains a known one. Another `--force` or a dash in a sentence is text. */
const FLAGGED = /^(?:--|—|–)[a-z]|\s(?:--|—|–)(?:number|what|query|text|scope|kind)\b/u;

/** Reads flags, as forms write them, if there are any; otherwise free text, in which apostrophes are not quotes. */
function argumentsIn(rest: string): { type: "read"; typed: Typed } | { type: "broken"; reason: string } {
  if (!FLAGGED.test(rest)) return { type: "read", typed: { text: rest } };
  const read = readArguments(rest, { flags: FLAGS });
  if (read.type === "broken") return read;
  const { flags, words } = read;
  const parts = [...["number", "what", "query", "text"].map((name) => flags.get(name) ?? ""), ...words];
  const text = parts.filter((part) => part !== "").join(" ");
  return { type: "read", typed: { text, scope: flags.get("scope"), kind: flags.get("kind") } };
}

/** Uses a form's fields in place of typed text. */
function filledIn(typed: Typed, filled: FormValues | null): Typed {
  if (filled === null) return typed;
  const { text = "", scope, kind } = filled;
  return { text: [typed.text, text.trim()].filter((part) => part !== "").join(" "), scope, kind };
}

async function list(_typed: Typed, { memories, context }: Use): Promise<CommandReply> {
  const place = hereOf(context);
  const [found, count, isPaused] = await Promise.all([
    memories.list(place, MAX_LINES),
    memories.countIn(place),
    memories.isPaused(context.channelKey),
  ]);
  const off = isPaused
    ? ["Memory is off in this channel: I neither recall nor remember anything. `/memory on` turns it on."]
    : [];
  if (found.length === 0) {
    return privateMessage([...off, "I remember nothing here. Try `/memory add we deploy on Thursdays`."].join("\n"));
  }
  const more = count - found.length;
  const rest = more > 0 ? [`… and ${more} older: \`/memory search …\` or \`/memory export\`.`] : [];
  const lines = found.map((memory) => listedLine(memory, memories));
  return privateMessage([...off, "**What I remember here**", ...lines, ...rest].join("\n"));
}

async function search({ text: query }: Typed, { memories, context }: Use): Promise<CommandReply> {
  if (query === "") return privateMessage("Tell me what to look for: `/memory search deploy day`.");
  const hits = await memories.search({ query, reader: hereOf(context), limit: MAX_LINES });
  if (hits.length === 0) return privateMessage("I remember nothing about that here.");
  return privateMessage(hits.map(({ memory }) => listedLine(memory, memories)).join("\n"));
}

const SCOPES: Readonly<Record<string, MemoryInput["scope"]>> = {
  channel: "channel",
  me: "person",
  person: "person",
  workspace: "workspace",
};

async function add(
  { text, scope: whom = "channel", kind: given = "semantic" }: Typed,
  use: Use,
): Promise<CommandReply> {
  if (text === "") return addForm();
  const scope = SCOPES[whom];
  if (scope === undefined) return privateMessage("`--scope` must be `channel`, `me` or `workspace`.");
  const kind = kindSchema.safeParse(given);
  if (!kind.success) return privateMessage("`--kind` must be `working`, `episodic`, `semantic` or `procedural`.");
  const outcome = await keptHere(text, use, { scope, kind: kind.data });
  if ("refused" in outcome) return refusedForm(outcome.refused, { text, scope: whom, kind: given }, use.context);
  const forWhom = {
    channel: "this channel",
    person: "you, wherever you ask me",
    workspace: "everyone in this workspace",
  }[scope];
  return privateMessage(`✓ I'll remember it for ${forWhom} as #${outcome.memory.seq}. ${takesBack(outcome.memory)}`);
}

function takesBack({ seq }: Memory): string {
  return `\`/memory forget ${seq}\` removes it.`;
}

/** Stores what the person says, unless memory is off in the channel. */
async function keptHere(
  text: string,
  { memories, context }: Use,
  { scope, kind }: Pick<MemoryInput, "scope" | "kind"> = { scope: "channel", kind: "semantic" },
): Promise<KeepResult> {
  const { person: author, thread, channelKey } = context;
  if (await memories.isPaused(channelKey)) return { refused: OFF };
  const mayLeave = scope !== "channel";
  return memories.keep({ text, scope, kind, author, thread, channelKey, origin: "people", mayLeave });
}

async function edit(typed: Typed, use: Use): Promise<CommandReply> {
  const { word: number, rest: text } = firstWord(typed.text);
  const memory = await changeable(number, use);
  if (typeof memory === "string") return privateMessage(memory);
  if (text === "") return editForm(memory);
  const edited = await use.memories.edit(memory, text);
  if ("refused" in edited) return refusedForm(edited.refused, { text, seq: memory.seq }, use.context);
  return privateMessage(`✓ #${memory.seq} is updated.`);
}

async function pinned({ text: number }: Typed, use: Use, isPinned: boolean): Promise<CommandReply> {
  const memory = await changeable(number, use);
  if (typeof memory === "string") return privateMessage(memory);
  await use.memories.pin(memory.seq, isPinned);
  return privateMessage(isPinned ? `✓ #${memory.seq} no longer fades.` : `✓ #${memory.seq} fades again.`);
}

async function forget({ text: what }: Typed, use: Use): Promise<CommandReply> {
  if (what === "me") {
    await use.learner.dropThreadsOf(use.context.person.id);
    const count = await use.memories.forgetPerson(use.context.person.id);
    if (count > 0) await audited("memory.forgotten", `${count} by or about ${use.context.person.name}`, use);
    return privateMessage(`✓ Forgotten: ${counted(count, "memory", "memories")} by you or about you.`);
  }
  const memory = await changeable(what, use);
  if (typeof memory === "string") return privateMessage(memory);
  await use.memories.forget([memory.seq]);
  await audited("memory.forgotten", `#${memory.seq}`, use);
  return privateMessage(`✓ Forgotten: ${inlineCode(memory.text, LINE_CHARS)}`);
}

/** Learns from the current thread, only when a person asks; nothing older is learned by itself. */
async function learn({ text }: Typed, { memories, learner, context }: Use): Promise<CommandReply> {
  if (text !== "" && text !== "from this thread")
    return privateMessage("Did you mean `/memory learn from this thread`?");
  const { session, channelKey } = context;
  if (session === null)
    return privateMessage("This works only in a thread: mention me there, and write the command after it.");
  if (await memories.isPaused(channelKey)) return privateMessage(OFF);
  await learner.ask(session.id);
  return privateMessage(
    "✓ I'm noting what is worth remembering from this thread; `/memory list` shows it in a moment.",
  );
}

async function turned(use: Use, isOn: boolean): Promise<CommandReply> {
  const { memories } = use;
  const { channelKey, person } = use.context;
  const wasOn = !(await memories.isPaused(channelKey));
  await (isOn ? memories.resume(channelKey) : memories.pause(channelKey, person.id));
  if (isOn !== wasOn) await audited(isOn ? "memory.on" : "memory.off", channelKey, use);
  return privateMessage(
    isOn
      ? "✓ Memory is on in this channel."
      : "✓ Memory is off in this channel: I neither recall nor remember anything here. What I know stays until you `/memory forget` it.",
  );
}

/** Writes to the audit log that something was deleted or turned off, never its contents. */
function audited(act: Act, about: string, { audit, context }: Use): Promise<void> {
  return audit({ by: context.person.name, act, about });
}

async function exported(_typed: Typed, { memories, context }: Use): Promise<CommandReply> {
  const found = await memories.list(hereOf(context), MAX_EXPORTED);
  if (found.length === 0) return privateMessage("I remember nothing here.");
  const lines = found.toReversed().map((memory) => JSON.stringify(exportedLine(memory)));
  const data = new TextEncoder().encode(`${lines.join("\n")}\n`);
  const file = { name: "memories.jsonl", mediaType: "application/jsonl", data };
  return { ...privateMessage(`✓ Everything I remember here: ${found.length}.`), files: [file] };
}

/** Maximum number of memories suggested to a person who names one in words. */
const MAX_MEANT = 5;

/**
 * The memory with a given number, if this person may change it; otherwise a message. For words instead of a number, the
 * message lists the best matches.
 */
async function changeable(number: string, { memories, context }: Use): Promise<Memory | string> {
  const seq = Number(number.replace(/^#/u, ""));
  if (!Number.isSafeInteger(seq) || seq <= 0) {
    const asked = { query: number, reader: hereOf(context), limit: MAX_MEANT };
    const meant = (await memories.search(asked)).map(({ memory }) => listedLine(memory, memories));
    return ["Which one? `/memory list` shows the numbers.", ...meant].join("\n");
  }
  const memory = await memories.get(seq, hereOf(context));
  if (memory === null) return `There is no memory #${seq} here. \`/memory list\` shows them.`;
  if (!mayChange(memory, context.person, context.access.admins))
    return `#${seq} is ${memory.author.name}'s: only they and admins can change it.`;
  return memory;
}

function hereOf({ thread, channelKey, person }: CommandContext) {
  return readerIn(thread, channelKey, person.id);
}
