import { writeFileSync } from "node:fs";
import path from "node:path";
import { startAnthropicServer } from "../model/anthropic-server.ts";
import type { ModelServer, RecordedRequest } from "../model/model-server.ts";
import { type Bot, createBot, until } from "../program/bot.ts";
import { readableText } from "../slack/slack-blocks.ts";
import type { SlackSaid, Speech } from "../slack/slack-people.ts";
import { type SeenMessage, type SlackServer, startSlackServer } from "../slack/slack-server.ts";
import { isAnswer } from "./bot-message.ts";

/** The whole program on a local Slack with a scripted model, for conversations of several people. */
export interface SlackOffice extends AsyncDisposable {
  readonly bot: Bot;
  /** The program's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: ModelServer;
  readonly slack: SlackServer;
  /** Creates a channel in which nobody has written. */
  channel(): string;
  /** Says something in a new thread or in the one named, with a mention of the bot unless `bare`. */
  talk(speech: Speech & { readonly bare?: boolean }): Talk;
  /** Polls a condition that has no event. */
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
  /** What only this person was shown, in order. */
  ephemeralsTo(user: string): string[];
  /** Requests whose conversation contains these words. */
  requestsAbout(words: string): RecordedRequest[];
}

export interface Talk {
  readonly channel: string;
  readonly rootTs: string;
  /** Deliveries of the first words. */
  readonly said: SlackSaid;
  seen(): SeenMessage[];
  /** The bot's messages other than progress, oldest first. */
  answers(): string[];
  /** The bot's live and folded messages, oldest first. */
  live(): SeenMessage[];
  say(text: string, speech?: Partial<Speech>): SlackSaid;
  /** Like `say`, with a mention of the bot. */
  mention(text: string, speech?: Partial<Speech>): SlackSaid;
  /** Waits for so many answers; returns the newest. */
  answered(count: number, limit?: AbortSignal): Promise<string>;
  /** Waits until a live message matches. */
  shows(words: RegExp, limit?: AbortSignal): Promise<void>;
  /** Clicks the button whose id has this prefix, on the newest message that has one. */
  click(prefix: string, user?: string): void;
}

export interface SlackOfficeOptions {
  /** Contents of deckhand.config.json. */
  readonly settings?: object;
  /** The program's environment, besides what directs it to the local servers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Origin of Slack for the program, if it is not where it listens. */
  readonly origin?: string;
}

export async function slackOffice({ settings, env = {}, ...at }: SlackOfficeOptions = {}): Promise<SlackOffice> {
  const [model, slack] = await Promise.all([startAnthropicServer({ key: "test-key" }), startSlackServer(at)]);
  const told = {
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url,
    DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    ...env,
  };
  const bot = await createBot({ env: told });
  if (settings !== undefined) writeFileSync(path.join(bot.home, "deckhand.config.json"), JSON.stringify(settings));
  let channels = 0;
  return {
    bot,
    env: told,
    model,
    slack,
    channel() {
      channels += 1;
      return `C1${String(channels).padStart(3, "0")}`;
    },
    until: (what, condition) => until(condition, { what: () => `${what}; the program said:\n${bot.output()}` }),
    talk({ bare = false, ...speech }) {
      const said = bare ? slack.people.say(speech) : slack.people.mention(speech);
      return talkIn({ slack, said, rootTs: speech.threadTs ?? said.ts });
    },
    ephemeralsTo: (user) => slack.workspace.ephemerals.filter((ephemeral) => ephemeral.user === user).map(readableText),
    requestsAbout: (words) => model.requests.filter(({ body }) => conversationOf(body).includes(words)),
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]();
      await Promise.all([model.close(), slack[Symbol.asyncDispose]()]);
    },
  };
}

interface Place {
  readonly slack: SlackServer;
  readonly said: SlackSaid;
  readonly rootTs: string;
}

function talkIn({ slack, said, rootTs }: Place): Talk {
  const { channel } = said;
  const seen = () => slack.thread(channel, rootTs);
  const byBot = () => seen().filter((message) => message.byBot);
  const settled = (what: string, condition: () => boolean, limit?: AbortSignal) =>
    until(condition, {
      ...(limit === undefined ? {} : { limit }),
      what: () => `${what}; the thread reads:\n${JSON.stringify(seen(), null, 1)}`,
    });
  const talk: Talk = {
    channel,
    rootTs,
    said,
    seen,
    answers: () =>
      byBot().flatMap((message) => (isAnswer(shown(message)) && message.text !== "" ? [message.text] : [])),
    live: () => byBot().filter((message) => !isAnswer(shown(message))),
    say: (text, speech = {}) => slack.people.say({ text, channel, threadTs: rootTs, ...speech }),
    mention: (text, speech = {}) => slack.people.mention({ text, channel, threadTs: rootTs, ...speech }),
    async answered(count, limit) {
      await settled(`answer ${count}`, () => talk.answers().length >= count, limit);
      return talk.answers()[count - 1] ?? "";
    },
    shows: (words, limit) => settled(String(words), () => talk.live().some(({ text }) => words.test(text)), limit),
    click(prefix, user = "U0ANA") {
      const holder = byBot().findLast(({ buttons }) => buttons.some(({ id }) => id.startsWith(prefix)));
      const button = holder?.buttons.find(({ id }) => id.startsWith(prefix));
      if (holder === undefined || button === undefined) throw new Error(`no button begins with ${prefix}`);
      slack.people.click(channel, holder.ts, { actionId: button.id, user });
    },
  };
  return talk;
}

function shown({ text, buttons }: SeenMessage) {
  return { text, buttons: buttons.map(({ id }) => id) };
}

/** The messages of a request as one text. */
export function conversationOf(body: unknown): string {
  return JSON.stringify(typeof body === "object" && body !== null && "messages" in body ? body.messages : body);
}

/** How a model reads words of one person to another, after their time. */
export function overheard(name: string, words: string): string {
  return JSON.stringify(` UTC" from="${name}" note="not addressed to you">\n${words}\n</thread_conversation>`).slice(
    1,
    -1,
  );
}
