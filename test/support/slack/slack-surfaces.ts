import { z } from "zod";
import { button, textObject } from "./slack-blocks.ts";
import type { Answer, Args } from "./slack-method.ts";
import type { SlackWorkspace } from "./slack-model.ts";

/** Blocks that a home tab accepts; `markdown` is for messages only. Source: Slack docs, the page of each block. */
const viewBlock = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("section"), text: textObject.extend({ text: z.string().min(1).max(3_000) }) }),
  z.strictObject({
    type: z.literal("header"),
    text: z.strictObject({
      type: z.literal("plain_text"),
      text: z.string().min(1).max(150),
      emoji: z.boolean().optional(),
    }),
  }),
  z.strictObject({ type: z.literal("context"), elements: z.array(textObject).min(1).max(10) }),
  z.strictObject({ type: z.literal("actions"), elements: z.array(button).min(1).max(25) }),
  z.strictObject({ type: z.literal("divider") }),
]);
const homeSchema = z.strictObject({ type: z.literal("home"), blocks: z.array(viewBlock).max(100) });

/** views.publish. */
export function publishHome(args: Args, workspace: SlackWorkspace): Answer {
  if (!workspace.users.has(args.user_id ?? "")) return "user_not_found";
  const view = homeSchema.safeParse(JSON.parse(args.view ?? "null"));
  if (!view.success) return "invalid_arguments";
  workspace.homes.set(args.user_id ?? "", view.data.blocks);
  return { view: { id: `V${args.user_id}`, type: "home" } };
}

/** The key of a thread in direct messages, the only ones in the pane; null for any other. */
function paneThread({ channel_id: channel = "", thread_ts: ts = "" }: Args, workspace: SlackWorkspace): string | null {
  return workspace.channels.get(channel)?.kind === "im" && ts !== "" ? `${channel} ${ts}` : null;
}

/** assistant.threads.setStatus, in any thread; an empty status clears it. */
export function setStatus(args: Args, workspace: SlackWorkspace): Answer {
  const { channel_id: channel = "", thread_ts: ts = "" } = args;
  if (channel === "" || workspace.channel(channel).gone) return "channel_not_found";
  if (workspace.thread(channel, ts).length === 0) return "invalid_thread_ts";
  if (args.status === undefined) return "invalid_arguments";
  const thread = `${channel} ${ts}`;
  workspace.statuses.set(thread, [...(workspace.statuses.get(thread) ?? []), args.status]);
  return {};
}

/** assistant.threads.setTitle. */
export function setTitle(args: Args, workspace: SlackWorkspace): Answer {
  const thread = paneThread(args, workspace);
  if (thread === null) return "channel_not_found";
  if ((args.title ?? "") === "") return "invalid_arguments";
  workspace.titles.set(thread, args.title ?? "");
  return {};
}

const promptsSchema = z
  .array(z.strictObject({ title: z.string().min(1), message: z.string().min(1) }))
  .min(1)
  .max(4);

/** assistant.threads.setSuggestedPrompts; without a thread the prompts apply to the whole pane. */
export function setSuggestedPrompts(args: Args, workspace: SlackWorkspace): Answer {
  const { channel_id: channel = "", thread_ts: ts } = args;
  const isPane = ts === undefined && workspace.channels.get(channel)?.kind === "im";
  const thread = isPane ? channel : paneThread(args, workspace);
  if (thread === null) return "channel_not_found";
  const prompts = promptsSchema.safeParse(JSON.parse(args.prompts ?? "null"));
  if (!prompts.success) return "invalid_arguments";
  workspace.suggestions.set(thread, prompts.data);
  return {};
}

const plain = (most: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: z.string().min(1).max(most), emoji: z.boolean().optional() });
const option = z.strictObject({ text: plain(75), value: z.string().min(1).max(150) });
/** Source: Slack docs, the page of each element. */
const inputElement = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("plain_text_input"),
    action_id: z.string().max(255),
    multiline: z.boolean().optional(),
    initial_value: z.string().max(3_000).optional(),
  }),
  z.strictObject({
    type: z.literal("static_select"),
    action_id: z.string().max(255),
    options: z.array(option).min(1).max(100),
    initial_option: option.optional(),
  }),
  z.strictObject({
    type: z.literal("conversations_select"),
    action_id: z.string().max(255),
    filter: z.strictObject({
      include: z.array(z.enum(["im", "mpim", "private", "public"])).min(1),
      exclude_bot_users: z.boolean().optional(),
    }),
    initial_conversation: z.string().min(1).optional(),
  }),
]);
export type InputElement = z.infer<typeof inputElement>;

/** An element's initial value. */
function initialOf(element: InputElement): string {
  if (element.type === "plain_text_input") return element.initial_value ?? "";
  return element.type === "static_select"
    ? (element.initial_option?.value ?? "")
    : (element.initial_conversation ?? "");
}

const modalSchema = z.strictObject({
  type: z.literal("modal"),
  callback_id: z.string().max(255),
  private_metadata: z.string().max(3_000).default(""),
  title: plain(24),
  submit: plain(24),
  close: plain(24).optional(),
  blocks: z
    .array(
      z.strictObject({
        type: z.literal("input"),
        block_id: z.string().max(255),
        optional: z.boolean().default(false),
        label: plain(2_000),
        hint: plain(2_000).optional(),
        element: inputElement,
      }),
    )
    .min(1)
    .max(100),
});
/** Lifetime of a trigger in milliseconds. Source: Slack docs, views.open: a trigger is good for 3 s, and once. */
const TRIGGER_MS = 3_000;

/** views.open. */
export function openModal(args: Args, workspace: SlackWorkspace): Answer {
  const trigger = args.trigger_id ?? "";
  const givenAt = workspace.triggers.get(trigger);
  if (givenAt === undefined) return "invalid_trigger_id";
  workspace.triggers.delete(trigger);
  if (Date.now() - givenAt > TRIGGER_MS) return "expired_trigger_id";
  const view = modalSchema.safeParse(JSON.parse(args.view ?? "null"));
  if (!view.success) return "invalid_arguments";
  const { callback_id, private_metadata, title, blocks } = view.data;
  const id = `V${workspace.nextTs()}`;
  const inputs = blocks.map(({ block_id, optional, element }) => ({
    block_id,
    optional,
    action_id: element.action_id,
    type: element.type,
    choices: element.type === "static_select" ? element.options.map(({ value }) => value) : [],
    value: initialOf(element),
  }));
  workspace.forms.set(id, { callback_id, private_metadata, title: title.text, inputs, errors: {} });
  return { view: { id, type: "modal" } };
}
