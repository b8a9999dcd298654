import { expect, test } from "vitest";
import { begin, required } from "../../../contracts/platform-steps.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { openSlackHarness } from "../../../support/slack/slack-harness.ts";

const { signal } = new AbortController();

/**
 * A link to a message, and the preview that Slack adds a moment later, in Slack's shape but with words of the tests.
 */
const LINK = "https://harbour.slack.com/archives/C0002/p1663966292304369";
const SHOWN = {
  from_url: LINK,
  ts: "1663966292.304369",
  author_id: "U0BOB",
  author_name: "bob",
  channel_id: "C0002",
  channel_name: "deploys",
  is_msg_unfurl: true,
  message_blocks: [
    {
      team: "T0001",
      channel: "C0002",
      ts: "1663966292.304369",
      message: {
        blocks: [
          {
            type: "rich_text",
            elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "the pool is dry" }] }],
          },
        ],
      },
    },
  ],
};

test("link previews that Slack adds after the message are awaited and read", async () => {
  await using harness = await openSlackHarness();
  const clock = new ManualClock(Date.now());
  const platform = harness.adapter({ clock });
  const inbox = await begin({ ...harness, platform });
  const said = await harness.mention(`what of <${LINK}>?`);
  const event = await inbox.nextMessage();
  expect(event.quoted).toEqual([]);
  const previews = platform.previews?.({ ...event, at: clock.now(), author: event.person }, signal);
  const { workspace } = harness.server;
  const forward = { is_share: true, author_name: "cy", text: "forwarded" };
  Object.assign(required(workspace.find("C0001", said.messageId)), { attachments: [forward, SHOWN] });
  await clock.advance(1_500);
  const shown = [`[bob wrote in #deploys](${LINK}), 2022-09-23 20:51 UTC:\nthe pool is dry`];
  expect(await previews).toEqual({ quoted: shown, attachments: [] });
});
