import { firstWord, readArguments } from "../../core/command-line/arguments.ts";
import { asTyped } from "../../core/command-line/as-typed.ts";
import type { ChatCommand, CommandContext, CommandReply } from "../../core/command-line/command.ts";
import { didYouMean, nearest } from "../../core/command-line/nearest.ts";
import { privately } from "../../core/protocol/private-reply.ts";
import { inlineCode, plainLine } from "../../core/text/plain-text.ts";
import { type Memories, placeOf, workspaceOf } from "./memories.ts";
import { exportedLine, kindSchema, type Memory } from "./memory.ts";
import { dayOf } from "./recalled-text.ts";
import { mayChange } from "./rights.ts";

/** Lines of a list; what is older is counted. */
const MOST_LINES = 20;
const LINE_CHARS = 200;
/** Memories of a file. */
const MOST_EXPORTED = 10_000;

type Verb = (typed: Typed, use: Use) => Promise<CommandReply>;

interface Use {
  readonly memories: Memories;
  readonly context: CommandContext;
}

interface Typed {
  /** What is typed beside flags, and what a form gives in their place. */
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
  off,
  on,
  export: exported,
};

/** `/memory`: what people see and change of what is remembered. */
export function memoryCommand(memories: Memories): ChatCommand["run"] {
  return async (line, context) => {
    const { word, rest } = firstWord(line);
    const verb = word === "" ? "list" : word;
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (run !== undefined) {
      const read = argumentsIn(rest);
      return read.type === "broken" ? privately(read.reason) : run(read.typed, { memories, context });
    }
    const all = Object.keys(VERBS);
    const known = `There is ${all.map((one) => `\`/memory ${one}\``).join(", ")}.`;
    return privately(`I don't know ${asTyped(verb)}.${didYouMean(nearest(verb, all), ` ${known}`)}`);
  };
}

const FLAGS = ["number", "what", "query", "text", "scope", "kind"];

/** Free text as it was typed, an apostrophe being no quote; flags where there are some, as forms write them. */
function argumentsIn(rest: string): { type: "read"; typed: Typed } | { type: "broken"; reason: string } {
  if (!/(?:^|\s)(?:--|—|–)[a-z]/u.test(rest)) return { type: "read", typed: { text: rest } };
  const read = readArguments(rest, { flags: FLAGS });
  if (read.type === "broken") return read;
  const { flags, words } = read;
  const parts = [...["number", "what", "query", "text"].map((name) => flags.get(name) ?? ""), ...words];
  const text = parts.filter((part) => part !== "").join(" ");
  return { type: "read", typed: { text, scope: flags.get("scope"), kind: flags.get("kind") } };
}

async function list(_typed: Typed, { memories, context }: Use): Promise<CommandReply> {
  const place = hereOf(context);
  const [found, count, isPaused] = await Promise.all([
    memories.list(place, MOST_LINES),
    memories.countIn(place),
    memories.isPaused(context.channelKey),
  ]);
  const off = isPaused
    ? ["Memory is off in this channel: nothing is recalled or remembered. `/memory on` changes that."]
    : [];
  if (found.length === 0) {
    return privately([...off, "I remember nothing here. `/memory add we deploy on Thursdays` begins."].join("\n"));
  }
  const more = count - found.length;
  const rest = more > 0 ? [`… and ${more} older: \`/memory search …\` or \`/memory export\`.`] : [];
  const lines = found.map((memory) => lineOf(memory, memories));
  return privately([...off, "**What I remember here**", ...lines, ...rest].join("\n"));
}

async function search({ text: query }: Typed, { memories, context }: Use): Promise<CommandReply> {
  if (query === "") return privately("Tell me what to look for: `/memory search deploy day`.");
  const { channelKey, person, thread } = context;
  const reader = { channelKey, workspace: workspaceOf(thread), personId: person.id };
  const hits = await memories.search({ query, reader, limit: MOST_LINES, origins: ["people", "outside"] });
  if (hits.length === 0) return privately("I remember nothing of that here.");
  return privately(hits.map(({ memory }) => lineOf(memory, memories)).join("\n"));
}

const SCOPES: Readonly<Record<string, "channel" | "person" | "workspace">> = {
  channel: "channel",
  me: "person",
  person: "person",
  workspace: "workspace",
};

async function add(
  { text, scope: whom = "channel", kind: given = "semantic" }: Typed,
  { memories, context }: Use,
): Promise<CommandReply> {
  if (text === "") return privately("Tell me what: `/memory add we deploy on Thursdays`.");
  const scope = SCOPES[whom];
  if (scope === undefined) return privately("`--scope` is `channel`, `me` or `workspace`.");
  const kind = kindSchema.safeParse(given);
  if (!kind.success) return privately("`--kind` is `working`, `episodic`, `semantic` or `procedural`.");
  const { person: author, thread, channelKey } = context;
  if (await memories.isPaused(channelKey))
    return privately("Memory is off in this channel: `/memory on` changes that.");
  const followsPerson = scope === "person";
  const told = { text, scope, kind: kind.data, author, thread, channelKey, origin: "people", followsPerson } as const;
  const kept = await memories.keep(told);
  if ("refused" in kept) return privately(`✗ ${kept.refused}`);
  const forWhom = {
    channel: "this channel",
    person: "you, wherever you ask me",
    workspace: "everybody of this workspace",
  }[scope];
  return privately(
    `✓ I remember it as #${kept.memory.seq}, for ${forWhom}. \`/memory forget ${kept.memory.seq}\` takes it back.`,
  );
}

async function edit(typed: Typed, use: Use): Promise<CommandReply> {
  const { word: number, rest: text } = firstWord(typed.text);
  const memory = await changeable(number, use);
  if (typeof memory === "string") return privately(memory);
  if (text === "")
    return privately(
      `Tell me what it should say: \`/memory edit ${memory.seq} …\`. Now: ${inlineCode(memory.text, LINE_CHARS)}`,
    );
  const edited = await use.memories.edit(memory, text);
  return privately("refused" in edited ? `✗ ${edited.refused}` : `✓ #${memory.seq} says so from now on.`);
}

async function pinned({ text: number }: Typed, use: Use, isPinned: boolean): Promise<CommandReply> {
  const memory = await changeable(number, use);
  if (typeof memory === "string") return privately(memory);
  await use.memories.pin(memory.seq, isPinned);
  return privately(isPinned ? `✓ #${memory.seq} does not fade any more.` : `✓ #${memory.seq} fades again.`);
}

async function forget({ text: what }: Typed, use: Use): Promise<CommandReply> {
  if (what === "me") {
    const count = await use.memories.forgetPerson(use.context.person.id);
    return privately(`✓ Forgotten: ${count} ${count === 1 ? "memory" : "memories"} by you or about you.`);
  }
  const memory = await changeable(what, use);
  if (typeof memory === "string") return privately(memory);
  await use.memories.forget(memory.seq);
  return privately(`✓ Forgotten: ${inlineCode(memory.text, LINE_CHARS)}`);
}

async function off(_typed: Typed, { memories, context }: Use): Promise<CommandReply> {
  await memories.pause(context.channelKey, context.person.id);
  return privately(
    "✓ Memory is off in this channel: nothing is recalled or remembered here. What I know stays until you `/memory forget` it.",
  );
}

async function on(_typed: Typed, { memories, context }: Use): Promise<CommandReply> {
  await memories.resume(context.channelKey);
  return privately("✓ Memory is on in this channel.");
}

async function exported(_typed: Typed, { memories, context }: Use): Promise<CommandReply> {
  const found = await memories.list(hereOf(context), MOST_EXPORTED);
  if (found.length === 0) return privately("I remember nothing here.");
  const lines = found.toReversed().map((memory) => JSON.stringify(exportedLine(memory)));
  const data = new TextEncoder().encode(`${lines.join("\n")}\n`);
  const file = { name: "memories.jsonl", mediaType: "application/jsonl", data };
  return { ...privately(`What I remember here: ${found.length}.`), files: [file] };
}

/** The memory of a number, for whoever may change it; otherwise why not. */
async function changeable(number: string, { memories, context }: Use): Promise<Memory | string> {
  const seq = Number(number.replace(/^#/u, ""));
  if (!Number.isSafeInteger(seq) || seq <= 0) return "Which one? `/memory list` numbers them.";
  const memory = await memories.get(seq);
  const isHere = memory !== null && (await isReadable(memory, context, memories));
  if (memory === null || !isHere) return `I remember nothing here that has the number ${seq}. See \`/memory list\`.`;
  if (!mayChange(memory, context.person, context.access.admins))
    return `#${seq} is ${memory.author.name}'s: only they and admins may change it.`;
  return memory;
}

/** What cannot be read here is not there. Whose it is may see it wherever they are. */
async function isReadable(memory: Memory, context: CommandContext, memories: Memories): Promise<boolean> {
  if (memory.scope === `person:${context.person.id}` && !memory.isPrivate) return true;
  return memories.isIn(memory.seq, hereOf(context));
}

function hereOf({ thread, channelKey, person }: CommandContext) {
  return placeOf(thread, channelKey, person.id);
}

function lineOf(memory: Memory, { linkOf }: Pick<Memories, "linkOf">): string {
  const { seq, text, author, said, kind, scope, isPinned, origin, endedAt } = memory;
  const link = linkOf(memory);
  const marks = [
    plainLine(author.name, LINE_CHARS),
    plainLine(said, LINE_CHARS),
    kind,
    ...(scope.startsWith("channel:") ? [] : [scope.startsWith("person:") ? "yours" : "workspace"]),
    ...(isPinned ? ["pinned"] : []),
    ...(origin === "outside" ? ["found outside"] : []),
    ...(endedAt === null ? [] : [`until ${dayOf(endedAt)}`]),
    ...(link === null ? [] : [`[thread](${link})`]),
  ];
  return `**#${seq}** ${plainLine(text, LINE_CHARS)} · ${marks.join(" · ")}`;
}
