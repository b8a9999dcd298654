import type { ServerResponse } from "node:http";
import { z } from "zod";
import { blocksOf, openChannel } from "./slack-arguments.ts";
import { checkMessage } from "./slack-blocks.ts";
import type { Method } from "./slack-method.ts";
import type { EphemeralMessage, ResponseUrl, SlackWorkspace } from "./slack-model.ts";

/** chat.postEphemeral. */
export const postEphemeral: Method = (args, context) => {
  const channel = openChannel(args, context);
  if (channel === null) return "channel_not_found";
  if (!context.workspace.users.has(args.user ?? "")) return "user_not_in_channel";
  const problem = checkMessage(args, { maxTextChars: 40_000 });
  if (problem !== null) return problem;
  const { user = "", text = "", thread_ts: threadTs = null } = args;
  show(context.workspace, { channel, threadTs, user, text, blocks: blocksOf(args) });
  return { message_ts: context.workspace.nextTs() };
};

/** Source: Slack docs, chat.postEphemeral: in a thread it is only shown if there is already an active one. */
function show(workspace: SlackWorkspace, ephemeral: EphemeralMessage): void {
  const { channel, threadTs } = ephemeral;
  const isShown = threadTs === null || workspace.thread(channel, threadTs).length > 1;
  (isShown ? workspace.ephemerals : workspace.unseen).push(ephemeral);
}

/** Whether somebody saw this in a thread, or in its channel while the thread had no replies. */
export function isAbout(
  shown: EphemeralMessage,
  { channel, rootTs }: { readonly channel: string; readonly rootTs: string },
): boolean {
  return shown.channel === channel && (shown.threadTs === null || shown.threadTs === rootTs);
}

const MAX_ANSWERS = 5;
const ANSWER_WITHIN_MS = 30 * 60_000;

const answerSchema = z.strictObject({
  text: z.string().optional(),
  blocks: z.array(z.looseObject({ type: z.string() })).optional(),
  response_type: z.enum(["ephemeral", "in_channel"]).default("ephemeral"),
  /** If omitted, an answer to a click replaces the clicked message. */
  replace_original: z.boolean().default(true),
  thread_ts: z.string().optional(),
});

/** Accepts what is posted to an address for answers. */
export function takeAnswer(
  workspace: SlackWorkspace,
  { id, body, response }: { readonly id: string; readonly body: Buffer; readonly response: ServerResponse },
): void {
  const url = workspace.responseUrls.get(id);
  const problem = url === undefined ? "invalid_url" : refusal(workspace, url, body.toString("utf8"));
  url?.answers.push(problem ?? "ok");
  response.writeHead(problem === null ? 200 : 404).end(problem ?? "ok");
}

function refusal(workspace: SlackWorkspace, { channel, user, messageTs, givenAt, answers }: ResponseUrl, body: string) {
  if (answers.length >= MAX_ANSWERS) return "used_url";
  if (Date.now() - givenAt > ANSWER_WITHIN_MS) return "expired_url";
  const parsed = answerSchema.safeParse(JSON.parse(body));
  if (!parsed.success) return "invalid_payload";
  const {
    text = "",
    blocks,
    response_type: type,
    replace_original: replaces,
    thread_ts: threadTs = null,
  } = parsed.data;
  const problem = checkMessage(
    { text, ...(blocks === undefined ? {} : { blocks: JSON.stringify(blocks) }) },
    { maxTextChars: 40_000 },
  );
  if (problem !== null) return problem;
  const clicked = messageTs === null ? undefined : workspace.find(channel, messageTs);
  if (replaces && clicked !== undefined) {
    clicked.text = text;
    clicked.blocks = blocks ?? [];
  } else if (type === "in_channel") {
    workspace.add({ channel, user: workspace.botUserId, threadTs, text, blocks: blocks ?? [] });
  } else {
    show(workspace, { channel, threadTs, user, text, blocks: blocks ?? [] });
  }
  return null;
}
