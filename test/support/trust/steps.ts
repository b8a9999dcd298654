import type { ThreadMessage } from "../../../src/core/platform/chat-platform.ts";
import type { Step } from "./play.ts";

/** Shorthands for a model's calls. */

export const fetch = (url: string, offset = 0): Step => ({ tool: "web_fetch", input: { url, offset } });
export const search = (query: string): Step => ({ tool: "web_search", input: { query } });
export const read = (path: string): Step => ({ tool: "read", input: { path } });
export const grep = (pattern: string): Step => ({ tool: "grep", input: { pattern } });
export const bash = (command: string): Step => ({ tool: "bash", input: { command } });
export const write = (path: string, content: string): Step => ({ tool: "write", input: { path, content } });
export const program = (code: string, hosts: readonly string[] = []): Step => ({
  tool: "js_exec",
  input: { code, hosts },
});
export const attach = (path: string): Step => ({ tool: "attach", input: { path } });
/** Steps of the sub-agent follow; an empty one ends it. */
export const agent = (prompt: string): Step => ({ tool: "agent", input: { description: "a piece of work", prompt } });
export const ask = (question: string, ...options: string[]): Step => ({
  tool: "ask_user_question",
  input: { question, options },
});
/** A call of a tool of the MCP server. */
export const wiki = (tool: string, input: Step["input"] = {}): Step => ({ tool: `mcp__wiki__${tool}`, input });
export const remember = (text: string, scope = "channel"): Step => ({ tool: "remember", input: { text, scope } });
export const recall = (query: string): Step => ({ tool: "recall", input: { query } });
export const forget = (number: number): Step => ({ tool: "forget", input: { number } });
export const readThread: Step = { tool: "read_thread", input: {} };

/** A message of a bot or a person in a thread, before the agent was asked there. */
export function said(text: string, author: ThreadMessage["author"] = ALERTS): ThreadMessage {
  return { messageId: `said-${text.length}`, author, text, at: 0 };
}

const ALERTS = { id: "slack:B1", name: "alerts", isBot: true };
