import MarkdownIt from "markdown-it";
import { z } from "zod";
import type { Args } from "./slack-method.ts";
import type { Block, EphemeralMessage, SlackMessage } from "./slack-model.ts";

/** Blocks with the limits from each block's page in Slack's docs. */
export const button = z.strictObject({
  type: z.literal("button"),
  action_id: z.string().min(1).max(255),
  text: z.strictObject({
    type: z.literal("plain_text"),
    text: z.string().min(1).max(75),
    emoji: z.boolean().optional(),
  }),
  value: z.string().max(2_000).optional(),
  style: z.enum(["primary", "danger"]).optional(),
});
export const textObject = z.strictObject({
  type: z.enum(["plain_text", "mrkdwn"]),
  text: z.string().min(1).max(2_000),
  emoji: z.boolean().optional(),
  verbatim: z.boolean().optional(),
});
const block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("markdown"), text: z.string().min(1), block_id: z.string().max(255).optional() }),
  z.strictObject({ type: z.literal("context"), elements: z.array(textObject).min(1).max(10) }),
  z.strictObject({ type: z.literal("actions"), elements: z.array(button).min(1).max(25) }),
  z.strictObject({ type: z.literal("divider") }),
]);
/** Source: Slack docs, Blocks. */
const MAX_BLOCKS = 50;
const blocks = z.array(block).max(MAX_BLOCKS);

const metadata = z.strictObject({ event_type: z.string().min(1), event_payload: z.record(z.string(), z.unknown()) });

/** Maximum characters of all Markdown blocks of one message. Source: Slack docs, markdown block. */
const MARKDOWN_CHARS = 12_000;

/** The error with which Slack rejects a message; null if it accepts it. */
export function checkMessage(args: Args, { maxTextChars }: { readonly maxTextChars: number }): string | null {
  if ((args.text ?? "") === "" && args.blocks === undefined) return "no_text";
  if ((args.text ?? "").length > maxTextChars) return "msg_too_long";
  if (args.metadata !== undefined && !metadata.safeParse(JSON.parse(args.metadata)).success)
    return "invalid_metadata_format";
  if (args.blocks === undefined) return null;
  const parsed = blocks.safeParse(JSON.parse(args.blocks));
  if (!parsed.success) return "invalid_blocks";
  const markdown = parsed.data.reduce((sum, each) => sum + (each.type === "markdown" ? each.text.length : 0), 0);
  if (markdown > MARKDOWN_CHARS) return "msg_blocks_too_long";
  const made = parsed.data.reduce((sum, each) => sum + (each.type === "markdown" ? blocksMadeOf(each.text) : 1), 0);
  if (made > MAX_BLOCKS) return "invalid_blocks";
  const ids = buttonsOf(parsed.data).map(({ id }) => id);
  return new Set(ids).size === ids.length ? null : "invalid_blocks";
}

/**
 * Counts blocks as Slack has been observed to: each heading, rule and table is a block, and so is the text between two
 * of these.
 */
function blocksMadeOf(markdown: string): number {
  const top = new MarkdownIt().parse(markdown, {}).filter(({ level, nesting }) => level === 0 && nesting >= 0);
  const alone = top.map(({ type }) => ["heading_open", "hr", "table_open"].includes(type));
  return alone.filter((isAlone, index) => isAlone || index === 0 || alone[index - 1] === true).length;
}

/**
 * Everything readable in the message; the fallback text only if there are no blocks. An emoji counts as itself in any
 * colour.
 */
export function readableText({ text, blocks }: Pick<SlackMessage | EphemeralMessage, "text" | "blocks">): string {
  if (blocks.length === 0) return text;
  return textsOf(blocks).join("\n").replace(/^❌/u, "✗").replace(/^➡️/u, "→");
}

/** Texts in which Slack looks for mentions. Plain text is shown literally. */
function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((each) => {
    const parsed = block.safeParse(each);
    if (!parsed.success) return [];
    if (parsed.data.type === "markdown") return [parsed.data.text];
    if (parsed.data.type === "context") return parsed.data.elements.map((element) => element.text);
    return [];
  });
}

export function buttonsOf(blocks: readonly Block[]): { id: string; label: string }[] {
  return blocks.flatMap((each) => {
    const parsed = block.safeParse(each);
    if (!parsed.success || parsed.data.type !== "actions") return [];
    return parsed.data.elements.map((element) => ({ id: element.action_id, label: element.text.text }));
  });
}

/** Value that is sent with a click on the button. */
export function valueOf(blocks: readonly Block[], actionId: string): string | undefined {
  const elements = blocks.flatMap((each) => {
    const parsed = block.safeParse(each);
    return parsed.success && parsed.data.type === "actions" ? parsed.data.elements : [];
  });
  return elements.find((element) => element.action_id === actionId)?.value;
}

const CONTROL = /<!(?:channel|here|everyone|subteam\^\w+)(?:\|[^>]*)?>|<@[UW]\w+(?:\|[^>]*)?>/gu;
const BARE_MENTION = /@(?:channel|here|everyone)\b/gu;

/**
 * Ids of the people whom a message notifies. Bare mentions in Markdown count too, since nothing documents otherwise.
 */
export function pingsOf(message: SlackMessage): string[] {
  const texts = [message.text, ...textsOf(message.blocks)];
  const control = texts.flatMap((text) => text.match(CONTROL) ?? []);
  const markdown = message.blocks.filter((each) => each.type === "markdown");
  const bareIn = message.linkNames ? texts : textsOf(markdown);
  return [...control, ...bareIn.flatMap((text) => text.match(BARE_MENTION) ?? [])];
}

/** Addresses that Slack would fetch: links unless unfurling is off, and images in Markdown always. */
export function previewsOf(message: SlackMessage): string[] {
  const text = readableText(message);
  const images = [...text.matchAll(/!\[[^\]]*\]\((?<url>[^)\s]+)\)/gu)].map((match) => match.groups?.url ?? "");
  const links = message.unfurlLinks || message.unfurlMedia ? (text.match(/https?:\/\/[^\s)>\]]+/gu) ?? []) : [];
  return [...images, ...links];
}
