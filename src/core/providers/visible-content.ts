import { assertNever } from "../protocol/assert-never.ts";
import type {
  ContentBlock,
  Message,
  Origin,
  ToolResultBlock,
  ToolResultContent,
  ToolUseBlock,
} from "../protocol/messages.ts";
import { indented, speakerName, withoutMarkers } from "../text/speakers.ts";
import { utcMinute } from "../text/utc.ts";

/**
 * A conversation as a model sees it, independent of any wire. Every type of content block has its rule here. The turns
 * alternate between user and assistant, begin and end with the user, contain no empty text, and have a result directly
 * after every tool call.
 */
export interface VisibleTurn {
  readonly role: "user" | "assistant";
  readonly parts: readonly VisiblePart[];
}

export type VisiblePart = Extract<
  ContentBlock,
  { type: "text" | "image" | "document" | "thinking" | "redacted_thinking" | "tool_use" | "tool_result" }
>;

/** OpenAI's limit; Anthropic allows 128. Source: OpenAI docs, function calling. */
const TOOL_NAME_CHARS = 64;
/** Maximum number of collapsed reads and searches listed for the model. */
const LABELS_SHOWN = 20;
const NO_RESULT = "No result was recorded for this call; it may or may not have run.";

/**
 * The conversation as `origin` may see it. Thinking and opaque data of another provider or model are left out, because
 * only their maker accepts them.
 */
export function visibleTurns(messages: readonly Message[], origin: Origin): VisibleTurn[] {
  const people = new Set<string>();
  const turns: VisibleTurn[] = [];
  for (const message of messages) {
    if (message.author !== undefined) people.add(message.author.id);
    const parts = visibleParts(message, { origin, named: people.size > 1 });
    if (parts.length > 0) turns.push({ role: message.role, parts });
  }
  return closed(paired(merged(finished(merged(turns)))));
}

function visibleParts(message: Message, view: { origin: Origin; named: boolean }): VisiblePart[] {
  if (message.role === "assistant") return message.content.flatMap((block) => visiblePart(block, view.origin));
  const parts = message.content.flatMap((block) => visiblePart(unforged(block), view.origin));
  const name = speakerName(message.author?.name ?? "");
  if (message.context === true) return asContext(parts, { name, at: message.createdAt });
  return view.named && message.author !== undefined ? withName(parts, name) : parts;
}

/** Removes our own markers from what people typed. */
function unforged(block: ContentBlock): ContentBlock {
  if (block.type === "text" || block.type === "user_memory_input")
    return { ...block, text: withoutMarkers(block.text) };
  return block.type === "user_command" ? { ...block, args: withoutMarkers(block.args) } : block;
}

/** Applies the rule for a block. Empty text is dropped, because providers reject it. */
function visiblePart(block: ContentBlock, origin: Origin): VisiblePart[] {
  switch (block.type) {
    case "text":
      return text(block.text, phaseOf(block, origin));
    case "image":
    case "document":
      return [block];
    case "thinking":
    case "redacted_thinking":
      return isSame(block.origin, origin) ? [block] : [];
    case "tool_use":
      return [toolUse(block, origin)];
    case "tool_result":
      return [block];
    case "user_command":
      return text(`/${block.command} ${block.args}`);
    case "user_local_command_output":
      return text(localOutput(block));
    case "user_memory_input":
      return text(block.text);
    case "task_assignment":
      return text(`[Task for ${block.agent}: ${block.description}]`);
    case "collapsed_read_search":
      return text(collapsed(block));
    case "system_api_error": // told to people; the model cannot do anything about it
    case "approval_request": // its outcome reaches the model as a tool result
      return [];
    default:
      return assertNever(block);
  }
}

/**
 * A call in a form that providers accept back. Models make up names, and a rejected one would block every later request
 * of the session. The name as written is in the call's result.
 */
function toolUse(block: ToolUseBlock, origin: Origin): ToolUseBlock {
  const name = block.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, TOOL_NAME_CHARS) || "unnamed";
  const isOwn = block.origin !== undefined && isSame(block.origin, origin);
  return isOwn ? { ...block, name } : { ...block, name, opaque: undefined };
}

function text(value: string, phase: Phase = {}): VisiblePart[] {
  return value.trim() === "" ? [] : [{ type: "text", text: value.trimEnd(), ...phase }];
}

type TextBlock = Extract<ContentBlock, { type: "text" }>;
type Phase = Pick<TextBlock, "phase">;

/** A phase is sent back only to the model that set it. */
function phaseOf({ phase, origin: by }: TextBlock, origin: Origin): Phase {
  return phase !== undefined && by !== undefined && isSame(by, origin) ? { phase } : {};
}

function localOutput(block: Extract<ContentBlock, { type: "user_local_command_output" }>): string {
  const sections = [
    `<command>${printed(block.command)}</command>`,
    block.stdout === "" ? "" : `<stdout>${printed(block.stdout)}</stdout>`,
    block.stderr === "" ? "" : `<stderr>${printed(block.stderr)}</stderr>`,
    `<exit_code>${block.exitCode}</exit_code>`,
  ];
  return `<local_command_output>\n${sections.filter((section) => section !== "").join("\n")}\n</local_command_output>`;
}

/** Escapes a command's output, so that it neither ends the section it is in nor begins another. */
function printed(value: string): string {
  return withoutMarkers(value).replaceAll(/<(?=\s{0,4}\/?\s{0,4}(?:command|stdout|stderr|exit_code)\b)/gi, "‹");
}

function collapsed(block: Extract<ContentBlock, { type: "collapsed_read_search" }>): string {
  const labels = block.labels.slice(0, LABELS_SHOWN).join(", ");
  return `[Earlier: ${block.reads} reads, ${block.searches} searches${labels === "" ? "" : `: ${labels}`}]`;
}

function isSame(a: Origin, b: Origin): boolean {
  return a.provider === b.provider && a.model === b.model;
}

/** Adds the author's name, and indents further lines, so that none looks like another person's message. */
function withName(parts: readonly VisiblePart[], name: string): VisiblePart[] {
  const first = parts.findIndex((part) => part.type === "text");
  if (first < 0) return parts.length === 0 ? [] : [{ type: "text", text: `${name}:` }, ...parts];
  return parts.map((part, index) => {
    if (part.type !== "text") return part;
    return { type: "text", text: `${index === first ? `${name}:` : " "} ${indented(part.text)}` };
  });
}

function asContext(parts: readonly VisiblePart[], { name, at }: { readonly name: string; readonly at: number }) {
  const opening = `<thread_conversation at="${utcMinute(at)} UTC" from="${name}" note="not addressed to you">`;
  return parts.map((part): VisiblePart => {
    if (part.type !== "text") return part;
    return { type: "text", text: `${opening}\n${withoutMarkers(part.text)}\n</thread_conversation>` };
  });
}

/** Drops thinking with no content after it, as in an answer that was cut off, since it may not be sent back. */
function finished(turns: readonly VisibleTurn[]): VisibleTurn[] {
  return turns.flatMap((turn) => {
    const last = turn.parts.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
    return last < 0 ? [] : [{ role: turn.role, parts: turn.parts.slice(0, last + 1) }];
  });
}

function merged(turns: readonly VisibleTurn[]): VisibleTurn[] {
  const result: VisibleTurn[] = [];
  for (const turn of turns) {
    const last = result.at(-1);
    if (last?.role === turn.role)
      result[result.length - 1] = { role: turn.role, parts: [...last.parts, ...turn.parts] };
    else result.push(turn);
  }
  return result;
}

/**
 * Puts each call's result first in the next user turn, in call order. Adds missing ones; turns stray ones into text.
 */
function paired(turns: readonly VisibleTurn[]): VisibleTurn[] {
  const result: VisibleTurn[] = [];
  let open: readonly string[] = [];
  for (const turn of turns) {
    if (turn.role === "user") {
      result.push({ role: "user", parts: answered(open, turn.parts) });
      open = [];
      continue;
    }
    result.push(turn);
    open = turn.parts.flatMap((part) => (part.type === "tool_use" ? [part.id] : []));
  }
  if (open.length > 0) result.push({ role: "user", parts: answered(open, []) });
  return result;
}

function answered(open: readonly string[], parts: readonly VisiblePart[]): VisiblePart[] {
  const results = new Map<string, ToolResultBlock>();
  const others: VisiblePart[] = [];
  for (const part of parts) {
    if (part.type !== "tool_result") others.push(part);
    else if (open.includes(part.toolUseId) && !results.has(part.toolUseId)) results.set(part.toolUseId, part);
    else others.push(...quotedResult(part));
  }
  return [...open.map((id) => filled(results.get(id) ?? missing(id))), ...others];
}

function missing(toolUseId: string): ToolResultBlock {
  return { type: "tool_result", toolUseId, content: [{ type: "text", text: NO_RESULT }], isError: true };
}

/** Makes sure that a result is not empty. */
function filled(result: ToolResultBlock): ToolResultBlock {
  const content = result.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const parts: ToolResultContent[] = content.length > 0 ? content : [{ type: "text", text: "(no output)" }];
  return { ...result, content: parts };
}

/** A result without its call may not be sent as a result, so its content is kept as text. */
function quotedResult(result: ToolResultBlock): VisiblePart[] {
  return filled(result).content.flatMap((part): VisiblePart[] =>
    part.type === "text" ? text(`[Earlier tool result]\n${part.text}`) : [part],
  );
}

/** Providers require a user message first, and some reject continuing an assistant's message. */
function closed(turns: readonly VisibleTurn[]): VisibleTurn[] {
  const result = [...turns];
  if (result[0]?.role === "assistant") result.unshift({ role: "user", parts: text("(The conversation continues.)") });
  if (result.at(-1)?.role !== "user") result.push({ role: "user", parts: text("Go on.") });
  return result;
}
