import { firstWord } from "../../core/command-line/arguments.ts";
import type { CommandReply } from "../../core/command-line/command.ts";
import { shellWords } from "../../core/command-line/shell-words.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import { textOf } from "../../core/protocol/messages.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { isObject } from "../../core/text/from-json.ts";
import type { McpConnection } from "./connection.ts";
import { foreignLine, foreignText } from "./foreign-text.ts";
import { kindsText } from "./kinds-text.ts";
import type { Listed } from "./listings.ts";
import type { McpSession, RequestOptions } from "./mcp-session.ts";
import { DEFAULT_TIMEOUT_MS, originOfServer, permissionOf } from "./server-settings.ts";

/** Maximum number of prompts listed per server. */
const MAX_PROMPTS = 50;
/** Maximum lengths of a prompt's name and of its description, in characters. */
const NAME_CHARS = 60;
const ABOUT_CHARS = 120;
/** Maximum length of a prompt's text, in characters. */
const WORDS_CHARS = 20_000;

/**
 * Answers `/mcp` with the servers, `/mcp server` with its tools and prompts, and `/mcp server prompt` with a run that
 * starts from that prompt.
 */
export async function promptCommand(
  connections: readonly McpConnection[],
  line: string,
  { signal, servers }: { readonly signal: AbortSignal; readonly servers: () => string },
): Promise<CommandReply> {
  const { word } = firstWord(line);
  if (word === "") return privateMessage(servers());
  const typed = line.trim();
  const named = namedFirst(
    connections.flatMap((connection) => [connection.title, connection.name].map((name) => ({ connection, name }))),
    typed,
  );
  if (named === undefined)
    return privateMessage(`I don't know the MCP server ${foreignLine(word, NAME_CHARS)}. \`/mcp\` lists them.`);
  const { connection, name } = named;
  const timeoutMs = connection.settings.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return onServer(connection, typed.slice(name.length), { signal, timeoutMs });
}

/** The item with which a line begins. Names may contain spaces and begin alike, so the longest match wins. */
function namedFirst<T extends { readonly name: string }>(items: readonly T[], line: string): T | undefined {
  return items
    .filter(({ name }) => `${line} `.toLowerCase().startsWith(`${name} `.toLowerCase()))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
}

async function onServer(connection: McpConnection, typed: string, options: RequestOptions): Promise<CommandReply> {
  let answer: CommandReply = privateMessage("");
  const ask = async (session: McpSession, asking: RequestOptions) => {
    answer = await withPrompts(session, typed, { ...asking, server: connection.title, kinds: kindsOf(connection) });
    return textResult("");
  };
  const result = await connection.use(ask, options);
  return result.isError ? privateMessage(`✗ ${textOf(result.content)}`) : answer;
}

function kindsOf({ catalogue, settings }: McpConnection): string {
  return kindsText(
    catalogue.tools.map(({ tool }) => {
      return { tool: foreignLine(tool, NAME_CHARS).replaceAll("`", "'"), permission: permissionOf(settings, tool) };
    }),
  );
}

interface PromptScope extends RequestOptions {
  readonly server: string;
  /** The server's tools by kind, as text. */
  readonly kinds: string;
}

async function withPrompts(session: McpSession, typed: string, asking: PromptScope): Promise<CommandReply> {
  const line = typed.trim();
  const prompts = await session.list("prompts", MAX_PROMPTS, asking.signal);
  if (line === "") {
    const none = `The MCP server ${asking.server} has no prompts.`;
    const listed = prompts.length === 0 ? none : prompts.map(promptLine).join("\n");
    return privateMessage(asking.kinds === "" ? listed : `Tools, from the settings: ${asking.kinds}.\n${listed}`);
  }
  const prompt = prompts.find(({ name }) => name === line) ?? namedFirst(prompts, line);
  if (prompt === undefined)
    return privateMessage(
      `${asking.server} has no prompt ${foreignLine(firstWord(line).word, NAME_CHARS)}. \`/mcp ${asking.server}\` lists them.`,
    );
  const bound = boundArguments(prompt, line.slice(prompt.name.length).trim());
  if (bound === null) return privateMessage(`This prompt needs: \`/mcp ${asking.server} ${usageOf(prompt)}\`.`);
  const { messages } = await session.getPrompt(prompt.name, bound, asking);
  const words = messages.flatMap(({ content }) => textsIn(content)).join("\n\n");
  if (words.trim() === "") return privateMessage(`The prompt ${foreignLine(prompt.name, NAME_CHARS)} is empty.`);
  return { run: foreignText(words, WORDS_CHARS), from: originOfServer(asking.server) };
}

function textsIn(content: unknown): string[] {
  if (!isObject(content)) return [];
  return typeof content["text"] === "string" ? [content["text"]] : textsIn(content["resource"]);
}

function promptLine(prompt: Listed["prompts"]): string {
  const about = foreignLine(prompt.description ?? "", ABOUT_CHARS);
  return `\`${usageOf(prompt)}\`${about === "" ? "" : ` · ${about}`}`;
}

function usageOf({ name, arguments: args = [] }: Listed["prompts"]): string {
  const words = args.map((arg) => (arg.required === true ? `<${arg.name}>` : `[${arg.name}]`));
  return foreignLine([name, ...words].join(" "), ABOUT_CHARS).replaceAll("`", "'");
}

/** Binds arguments by name or position, the last one taking the rest of the line; null if a required one is missing. */
function boundArguments({ arguments: args = [] }: Listed["prompts"], line: string): Record<string, string> | null {
  const split = shellWords(line);
  const words =
    split.type === "words" ? split.words.map(({ text }) => text) : line.split(/\s+/).filter((word) => word !== "");
  const bound: Record<string, string> = {};
  const loose: string[] = [];
  for (const word of words) {
    const arg = args.find(({ name }) => word.startsWith(`${name}=`));
    if (arg === undefined) loose.push(word);
    else bound[arg.name] = word.slice(arg.name.length + 1);
  }
  const open = args.filter(({ name }) => bound[name] === undefined);
  for (const [index, { name }] of open.entries()) {
    const isLast = index === open.length - 1;
    const value = isLast ? loose.slice(index).join(" ") : (loose[index] ?? "");
    if (value !== "") bound[name] = value;
  }
  return args.some(({ name, required }) => required === true && bound[name] === undefined) ? null : bound;
}
