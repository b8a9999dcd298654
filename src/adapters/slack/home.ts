import type { types } from "@slack/bolt";
import type { HomeSession, HomeView } from "../../core/platform/home-view.ts";
import type { Button } from "../../core/platform/outgoing.ts";
import { utcMinute } from "../../core/text/utc.ts";
import { SLACK } from "./descriptor.ts";
import { callSlack } from "./errors.ts";
import { formatButton, mrkdwn } from "./format.ts";
import { SECTION_CHARS } from "./limits.ts";
import type { SlackWeb } from "./web.ts";

const STATES: Readonly<Record<HomeSession["state"], string>> = {
  working: "⏳ working",
  waiting: "⏸ waiting for you",
  ended: "✓ done",
};

export async function publishHome(web: SlackWeb, userId: string, view: HomeView): Promise<void> {
  const home = { type: "home", blocks: homeBlocks(view) } as const;
  await callSlack("show your home tab", () => web.views.publish({ user_id: userId, view: home }));
}

export function homeBlocks({ introduction, sessions, jobs, addJob, prompts }: HomeView): types.KnownBlock[] {
  return [
    section(introduction.map(bold)),
    actions(prompts),
    header("Your sessions"),
    section(
      sessions.length === 0
        ? ["None in the last few days. Mention me in a channel, or message me."]
        : sessions.map(sessionLine),
    ),
    header("Jobs"),
    ...(jobs.length === 0 ? [section(["None that you can see. Add one with `/jobs add` in a channel."])] : []),
    ...jobs.flatMap(jobBlocks),
    actions([addJob]),
  ];
}

function jobBlocks({ name, sentence, nextAt, strip, buttons }: HomeView["jobs"][number]): types.KnownBlock[] {
  const parts = [
    `*${mrkdwn(name, SECTION_CHARS)}* · ${mrkdwn(sentence, SECTION_CHARS)}`,
    ...(nextAt === null ? [] : [`next ${formatTime(nextAt)}`]),
    ...(strip === "" ? [] : [strip]),
  ];
  return [section([parts.join(" · ")]), ...(buttons.length === 0 ? [] : [actions(buttons)])];
}

function actions(buttons: readonly Button[]): types.KnownBlock {
  return { type: "actions", elements: buttons.map(formatButton) };
}

function sessionLine({ thread, title, state, at }: HomeSession): string {
  const words = mrkdwn(title, SECTION_CHARS).replaceAll("|", "¦");
  const link = SLACK.link(thread);
  return `${STATES[state]} · ${link === null ? words : `<${link}|${words}>`} · ${formatTime(at)}`;
}

/** A time that Slack shows in the reader's time zone. Source: Slack docs, Formatting text. */
function formatTime(ms: number): string {
  return `<!date^${Math.floor(ms / 1_000)}^{date_short_pretty} {time}|${utcMinute(ms)} UTC>`;
}

/** Converts the bot's own Markdown, which contains only bold and code. */
function bold(markdown: string): string {
  return mrkdwn(markdown, SECTION_CHARS).replaceAll(/\*\*([^*]+)\*\*/gu, "*$1*");
}

function header(text: string): types.KnownBlock {
  return { type: "header", text: { type: "plain_text", text } };
}

/** A section with as many of the lines as fit. */
function section(lines: readonly string[]): types.KnownBlock {
  let text = "";
  for (const line of lines) if (text.length + line.length < SECTION_CHARS) text += text === "" ? line : `\n${line}`;
  return { type: "section", text: { type: "mrkdwn", text } };
}
