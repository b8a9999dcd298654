import { type ContentBlock, type Message, type ToolUseBlock, textOf, toolUsesOf } from "../../protocol/messages.ts";
import type { Tool } from "../../tool.ts";
import { addressesIn, spelledAddress } from "../../trust/addresses.ts";
import type { KnownContent } from "../../trust/egress.ts";
import { isWithin, OWN_MESSAGES, originsIn } from "../../trust/label.ts";

/**
 * Collects the text and addresses of a request that the model cannot have made up: what people wrote, what web content
 * names, and what earlier calls fetched. Output of programs, contents of files, the bot's own messages, and sub-agents'
 * assignments and reports do not count, because a model could have produced their words.
 */
export function knownContent(messages: readonly Message[], tools: readonly Tool[]): KnownContent {
  const uses = new Map<string, ToolUseBlock>();
  const addresses: string[] = [];
  const texts: string[] = [];
  for (const message of messages) {
    for (const use of toolUsesOf(message.content)) uses.set(use.id, use);
    if (message.role === "assistant") continue;
    const { author, label } = message;
    if (author !== undefined && label?.who.includes(OWN_MESSAGES) !== true) {
      const messageText = textIn(message.content);
      addresses.push(...addressesIn(messageText));
      if (label?.who.includes(author.id) === true) texts.push(messageText);
    }
    addresses.push(...message.content.flatMap((block) => addressesOf(block, { uses, tools })));
  }
  return {
    addresses: [...new Set(addresses)],
    texts,
    namedBy: (origin) => namedIn(messages, origin, { uses, tools }),
  };
}

/** Separators between words and around them. */
const BETWEEN = /[\s"'`<>()[\]{},;|]+/u;
const AROUND = /^[*_.:!?]|[*_.:!?]$/gu;

/** Names, numbers and addresses found in the results of calls to one origin. */
function namedIn(messages: readonly Message[], origin: string, calls: Calls): ReadonlySet<string> {
  const results = messages.flatMap(({ content }) => content).filter((block) => block.type === "tool_result");
  const words = results
    .filter((result) => !result.isError && isFrom(origin, result.toolUseId, calls))
    .flatMap(({ content }) => textOf(content).split(BETWEEN));
  return new Set(words.flatMap((word) => [word, word.replaceAll(AROUND, "")]));
}

function isFrom(origin: string, toolUseId: string, { uses, tools }: Calls): boolean {
  const use = uses.get(toolUseId);
  const brings = tools.find(({ name }) => name === use?.name)?.brings?.(use?.input);
  return brings !== undefined && originsIn(brings).includes(origin);
}

function textIn(content: readonly ContentBlock[]): string {
  return content
    .map((block) => {
      const isSaid = block.type === "document" || (block.type === "text" && block.isAdded !== true);
      return isSaid ? (block.text ?? "") : "";
    })
    .join("\n");
}

interface Calls {
  readonly uses: ReadonlyMap<string, ToolUseBlock>;
  readonly tools: readonly Tool[];
}

/**
 * Addresses that a call was asked to fetch and, if its result comes from the public web, addresses that the result
 * names.
 */
function addressesOf(block: ContentBlock, { uses, tools }: Calls): string[] {
  if (block.type === "task_assignment") return [...(block.addresses ?? [])];
  if (block.type !== "tool_result" || block.isError) return [];
  const use = uses.get(block.toolUseId);
  const tool = tools.find(({ name }) => name === use?.name);
  if (use === undefined || tool === undefined) return [];
  const asked = (tool.sends?.(use.input) ?? []).flatMap(({ address }) =>
    address === undefined ? [] : (spelledAddress(address) ?? []),
  );
  const brings = tool.brings?.(use.input);
  const isOfWeb = brings !== undefined && originsIn(brings).length > 0 && isWithin(brings, "public");
  return isOfWeb ? [...asked, ...addressesIn(textOf(block.content))] : asked;
}
