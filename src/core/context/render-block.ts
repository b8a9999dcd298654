import type { OutgoingMessage } from "../platform/outgoing.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { ContentBlock } from "../protocol/messages.ts";
import { counted } from "../text/counted.ts";
import { codeBlock, inlineCode, plainLine, visibleText } from "../text/plain-text.ts";

/** Maximum length of one result or output, in characters. */
export const OUTPUT_CHARS = 4_000;
/** Maximum length of a name or a sentence on a line, in characters. */
const LINE_CHARS = 300;
/** Maximum number of files and patterns named in a collapsed line. */
const NAMED = 3;

/** Renders a block as Markdown for people. Empty for blocks that people do not see or that are shown elsewhere. */
export function renderBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
    case "user_memory_input":
      return block.text;
    case "image":
    case "document":
      return `[${block.type}: ${line(block.name ?? block.mediaType)}${"context" in block ? ` · ${line(block.context ?? "")}` : ""}]`;
    case "tool_use":
      return `**${line(block.name)}**\n${codeBlock(cut(JSON.stringify(block.input, null, 2)), "json")}`;
    case "tool_result": {
      const text = block.content.map((part) => (part.type === "text" ? part.text : renderBlock(part))).join("\n");
      return `${block.isError ? "✗ Result" : "Result"}\n${codeBlock(cut(text), "")}`;
    }
    case "user_command":
      return inlineCode(`/${block.command} ${block.args}`, LINE_CHARS);
    case "user_local_command_output":
      return localOutput(block);
    case "system_api_error":
      return apiError(block);
    case "collapsed_read_search":
      return collapsedLine(block);
    case "task_assignment":
      return `→ **${line(block.agent)}**: ${line(block.description)}`;
    case "thinking":
    case "redacted_thinking": // never shown
    case "approval_request": // the card asks for it
      return "";
    default:
      return assertNever(block);
  }
}

/** The colour that a platform gives to a block: errors are red, assignments cyan. */
export function toneOf(block: ContentBlock): OutgoingMessage["tone"] {
  if (block.type === "system_api_error") return "error";
  return block.type === "task_assignment" ? "task" : "plain";
}

/** Renders a provider's error. The run has ended, so a requested delay is mentioned but no retry promised. */
function apiError({ text, retryAfterS }: Extract<ContentBlock, { type: "system_api_error" }>): string {
  const asked = retryAfterS === undefined ? "" : ` I was asked to wait ${retryAfterS} s.`;
  return `${line(text)}${asked}`;
}

type LocalOutput = Extract<ContentBlock, { type: "user_local_command_output" }>;
type Collapsed = Extract<ContentBlock, { type: "collapsed_read_search" }>;

function localOutput({ command, stdout, stderr, exitCode }: LocalOutput): string {
  const printed = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  const shown = printed.length === 0 ? "" : `\n${codeBlock(cut(visibleText(printed.join("\n"))), "")}`;
  const state = exitCode === 0 ? "✓" : "✗";
  const code = exitCode === 0 ? "" : ` · exit code ${exitCode}`;
  return `${state} ${inlineCode(`$ ${command}`, LINE_CHARS)}${code}${shown || (exitCode === 0 ? " · no output" : "")}`;
}

/** `✓ read 6 files, searched 2 patterns`, with the first few by name. */
function collapsedLine({ reads, searches, labels }: Collapsed): string {
  const counts = [
    ...(reads > 0 ? [`read ${counted(reads, "file")}`] : []),
    ...(searches > 0 ? [`searched ${counted(searches, "pattern")}`] : []),
  ];
  const named = labels.slice(0, NAMED).map((label) => inlineCode(label, LINE_CHARS));
  const more = labels.length > NAMED ? ", …" : "";
  return `✓ ${counts.join(", ")}${named.length === 0 ? "" : `: ${named.join(", ")}${more}`}`;
}

function line(text: string): string {
  return plainLine(text, LINE_CHARS);
}

/**
 * Shortens an output to its beginning and end. The end matters most in what a program printed, and the beginning in a
 * file.
 */
function cut(text: string): string {
  if (text.length <= OUTPUT_CHARS) return text;
  const half = OUTPUT_CHARS / 2;
  const left = text.length - OUTPUT_CHARS;
  return `${text.slice(0, half).toWellFormed()}\n… ${left} characters …\n${text.slice(-half).toWellFormed()}`;
}
