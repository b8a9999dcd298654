import type { ChatCommand } from "../command-line/command.ts";
import { privately } from "../protocol/private-reply.ts";

export const mcpCommand: ChatCommand = {
  name: "mcp",
  description: "MCP servers, and a prompt of theirs as if you had written it",
  usage: "[server] [prompt] [arguments]",
  permission: "people",
  options: [
    { name: "server", description: "whose prompts; without it, the servers" },
    { name: "prompt", description: "which of them; without it, what there is" },
    { name: "arguments", description: "in their order, or as name=value" },
  ],
  async run(line, { mcp }) {
    const answer = await mcp?.(line);
    if (answer === undefined) return privately("There are no MCP servers here. An operator adds them (`mcpServers`).");
    return answer.type === "run" ? { run: answer.words } : privately(answer.text);
  },
};
