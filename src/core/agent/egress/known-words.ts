import { type ContentBlock, type Message, type ToolUseBlock, textOf, toolUsesOf } from "../../protocol/messages.ts";
import type { Tool } from "../../tool.ts";
import { addressesIn, spelledAddress } from "../../trust/addresses.ts";
import type { KnownWords } from "../../trust/egress.ts";
import { isWithin, OWN_WORDS, originsIn } from "../../trust/label.ts";

/**
 * What a request carries that no model has made up: what people wrote, what content of the web names, and what was asked for
 * before. What programs and files say does not count, nor what comes back of our own messages, of assignments and reports of
 * sub-agents: a model could have had them say it.
 */
export function knownWords(messages: readonly Message[], tools: readonly Tool[]): KnownWords {
  const uses = new Map<string, ToolUseBlock>();
  const addresses: string[] = [];
  const texts: string[] = [];
  for (const message of messages) {
    for (const use of toolUsesOf(message.content)) uses.set(use.id, use);
    if (message.role === "assistant") continue;
    const { author, label } = message;
    if (author !== undefined && label?.who.includes(OWN_WORDS) !== true) {
      const said = textIn(message.content);
      addresses.push(...addressesIn(said));
      if (label?.who.includes(author.id) === true) texts.push(said);
    }
    addresses.push(...message.content.flatMap((block) => addressesOf(block, { uses, tools })));
  }
  return {
    addresses: [...new Set(addresses)],
    texts,
    namedBy: (origin) => namedIn(messages, origin, { uses, tools }),
  };
}

/** What stands between the words that somebody names things by, and around them. */
const BETWEEN = /[\s"'`<>()[\]{},;|]+/u;
const AROUND = /^[*_.:!?]|[*_.:!?]$/gu;

/** Names, numbers and addresses that the results of one origin hold, each by itself. */
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

/** What a call was asked to fetch, and what the web's content names. */
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
