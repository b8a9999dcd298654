import { assertNever } from "../protocol/assert-never.ts";
import type { ContentBlock, Message } from "../protocol/messages.ts";
import type { ChatCommand } from "./command.ts";
import { privately } from "./private-reply.ts";

/** Of one tool result. Characters. */
const RESULT_CHARS = 4_000;

export const exportCommand: ChatCommand = {
  name: "export",
  description: "this session as a Markdown file",
  permission: "people",
  async run(_line, { store, session }) {
    if (session === null) return privately("There is no session here yet, so there is nothing to export.");
    const messages = await store.messages.list(session.id);
    if (messages.length === 0) return privately("Nothing has been said in this session yet.");
    const text = [`# Session ${session.id} · agent ${session.agent}`, ...messages.map(section)].join("\n\n");
    const data = new TextEncoder().encode(`${text}\n`);
    const file = { name: `${session.id}.md`, mediaType: "text/markdown", data };
    return { ...privately(`✓ ${messages.length} messages, the whole session.`), files: [file] };
  },
};

function section(message: Message): string {
  const who = message.role === "assistant" ? "agent" : (message.author?.name ?? "tools");
  const note = message.context === true ? " · thread conversation" : "";
  const at = new Date(message.createdAt).toISOString().replace("T", " ").slice(0, 16);
  const blocks = message.content.map(blockText).filter((text) => text !== "");
  return [`## ${who} · ${at} UTC${note}`, ...blocks].join("\n\n");
}

/** A block as people may read it: thinking stays out. */
function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
    case "user_memory_input":
      return block.text;
    case "tool_use":
      return `**${block.name}**\n${fenced(JSON.stringify(block.input, null, 2), "json")}`;
    case "tool_result": {
      const text = block.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      return `${block.isError ? "✗ result" : "Result"}\n${fenced(cut(text))}`;
    }
    case "user_command":
      return `\`/${block.command} ${block.args}\``;
    case "user_local_command_output":
      return `\`!${block.command}\`\n${fenced(cut(block.stdout + block.stderr))}`;
    case "image":
    case "document":
      return `[${block.type}: ${block.name ?? block.mediaType}]`;
    case "system_api_error":
      return `✗ ${block.text}`;
    case "task_assignment":
      return `Task for ${block.agent}: ${block.description}`;
    case "thinking":
    case "redacted_thinking":
    case "collapsed_read_search":
    case "approval_request":
      return "";
    default:
      return assertNever(block);
  }
}

/** In a fence that nothing inside can close. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function cut(text: string): string {
  return text.length <= RESULT_CHARS ? text : `${text.slice(0, RESULT_CHARS)}\n… (${text.length} characters)`;
}
