import type { ChatCommand } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { collapseReads } from "../context/collapse-reads.ts";
import { renderBlock } from "../context/render-block.ts";
import { privateMessage } from "../platform/replies.ts";
import type { Message } from "../protocol/messages.ts";
import { utcMinute } from "../text/utc.ts";

export const exportCommand: ChatCommand = {
  name: "export",
  description: "export this session as a Markdown file",
  permission: "people",
  async run(_line, context) {
    const { store, session } = context;
    if (session === null) return privateMessage(noSessionReply("export", context));
    const messages = await store.messages.list(session.id);
    if (messages.length === 0) return privateMessage("This session has no messages yet.");
    const text = [`# Session ${session.id} · agent ${session.agent}`, ...messages.map(section)].join("\n\n");
    const data = new TextEncoder().encode(`${text}\n`);
    const file = { name: `${session.id}.md`, mediaType: "text/markdown", data };
    return { ...privateMessage(`✓ The whole session: ${messages.length} messages.`), files: [file] };
  },
};

function section(message: Message): string {
  const who = message.role === "assistant" ? "agent" : (message.author?.name ?? "tools");
  const note = message.context === true ? " · thread conversation" : "";
  const at = utcMinute(message.createdAt);
  const blocks = collapseReads(message.content)
    .map(renderBlock)
    .filter((text) => text !== "");
  return [`## ${who} · ${at} UTC${note}`, ...blocks].join("\n\n");
}
