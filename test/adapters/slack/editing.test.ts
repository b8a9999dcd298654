import { expect, test } from "vitest";
import { begin } from "../../contracts/platform-steps.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";

test("an edit without the previous text counts as an edit, a later change of that message does not", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  await harness.mention("hello");
  const event = await inbox.nextMessage();
  const { people, workspace } = harness.server;
  const change = (text: string, editedTs: string) => ({
    type: "message",
    subtype: "message_changed",
    hidden: true,
    channel: "C0001",
    ts: workspace.nextTs(),
    message: { user: "U0ANA", ts: event.messageId, text, edited: { user: "U0ANA", ts: editedTs } },
  });
  await people.event(change("a preview came", "1700000000.000100")).answered;
  await people.event(change("hello again", workspace.nextTs())).answered;
  await people.event({ ...change("hello twice", workspace.nextTs()), previous_message: {} }).answered;
  const edits = inbox.events.filter((each) => each.kind === "message" && each.edited !== undefined);
  expect(edits).toMatchObject([
    { text: "hello again", edited: "now", messageId: event.messageId },
    { text: "hello twice", edited: "now", messageId: event.messageId },
  ]);
});
