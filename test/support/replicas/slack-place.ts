import { buttonsOf, readableText } from "../slack/slack-blocks.ts";
import type { SlackMessage } from "../slack/slack-model.ts";
import type { SlackServer } from "../slack/slack-server.ts";
import type { Place, Shown, Thread } from "./place.ts";

export const SLACK_CHANNELS = 40;

export function slackChannel(number: number): string {
  return `C${1_001 + (number % SLACK_CHANNELS)}`;
}

export function slackPlace(slack: SlackServer): Place {
  const threadOf = threads(slack);
  return {
    name: "slack",
    async begin(words, number) {
      const channel = slackChannel(number);
      const [asker, another] = number % 2 === 0 ? (["U0ANA", "U0BOB"] as const) : (["U0BOB", "U0ANA"] as const);
      const root = slack.people.mention({ text: words, channel, user: asker });
      await root.answered;
      const thread: Thread = {
        folder: `slack-${channel}`,
        isOpen: () => true,
        say: (text) => slack.people.say({ text, channel, threadTs: root.ts, user: asker }).answered,
        byBot: () =>
          threadOf(channel, root.ts)
            .filter(({ byBot }) => byBot)
            .map(shownOf),
        click(message, actionId, who = "asker") {
          slack.people.click(channel, message.id, { actionId, user: who === "asker" ? asker : another });
        },
      };
      return thread;
    },
    all: () => Promise.resolve(slack.workspace.messages.filter(({ byBot }) => byBot).map(shownOf)),
    rateLimited: () => slack.calls.flatMap(({ method, outcome }) => (outcome === "429" ? [method] : [])),
  };
}

function shownOf(message: SlackMessage): Shown {
  return { id: message.ts, text: readableText(message), buttons: buttonsOf(message.blocks) };
}

/** Indexes messages by thread, since searching the workspace's own list starts from its beginning each time. */
function threads({ workspace }: SlackServer): (channel: string, rootTs: string) => readonly SlackMessage[] {
  const found = new Map<string, SlackMessage[]>();
  let read = 0;
  return (channel, rootTs) => {
    for (; read < workspace.messages.length; read += 1) {
      const message = workspace.messages[read];
      if (message === undefined) break;
      const key = `${message.channel} ${message.threadTs ?? message.ts}`;
      found.set(key, [...(found.get(key) ?? []), message]);
    }
    return found.get(`${channel} ${rootTs}`) ?? [];
  };
}
