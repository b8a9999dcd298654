import { afterAll, beforeAll, expect, test } from "vitest";
import { ALERTMANAGER, PULL_REQUEST, SENTRY_ISSUE } from "../contracts/slack-alerts.ts";
import { text } from "../support/model/model-script.ts";
import { conversationOf, type SlackOffice, slackOffice } from "../support/talk/slack-talk.ts";

/** “@Deckhand what happened?” under what somebody, or something, has posted. */

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** About 8,000 tokens, and what marks it. Characters. */
const BUDGET = 30_000;

let office: SlackOffice;
beforeAll(async () => {
  office = await slackOffice({ settings: { mode: "agi" } });
  await office.bot.start();
});
afterAll(() => office[Symbol.asyncDispose]());

/** What the model gets to read when somebody asks beneath the message. */
async function askedUnder(root: Parameters<SlackOffice["slack"]["workspace"]["add"]>[0]): Promise<string> {
  office.model.script(() => text("Answered."));
  const { ts } = office.slack.workspace.add(root);
  const talk = office.talk({ text: "what happened?", channel: root.channel, threadTs: ts });
  await talk.answered(1);
  const request = conversationOf(office.model.requests.at(-1)?.body);
  expect(request.replaceAll(PIXEL.toString("base64"), "").length).toBeLessThan(BUDGET);
  return request;
}

test.each([
  {
    what: "an alert of Alertmanager's",
    by: "Alertmanager",
    message: ALERTMANAGER,
    says: ["HighErrorRate api", "7.4 %", "Severity: critical"],
  },
  {
    what: "a pull request of GitHub's",
    by: "GitHub",
    message: PULL_REQUEST,
    says: ["#42 Retry the payment call", "Labels: bug, payments"],
  },
  {
    what: "an issue of Sentry's",
    by: "Sentry",
    message: SENTRY_ISSUE,
    says: ["*TypeError*", "api@3.1.4", "checkout/charge.ts"],
  },
])("$what is what the question is about, as conversation and as whose it is", async ({ by, message, says }) => {
  const channel = office.channel();
  const request = await askedUnder({ channel, user: "U0HOOK", raw: { user: undefined, ...message } });
  const [, said = ""] =
    new RegExp(`<thread_conversation from=.{1,3}${by}[^>]*>(.*?)</thread_conversation>`, "u").exec(request) ?? [];
  for (const words of says) expect(said).toContain(words);
});

test("a forwarded message comes with its file, whose name and bytes the model gets", async () => {
  const { workspace } = office.slack;
  const log = workspace.addFile({
    name: "crash.log",
    mimetype: "text/plain",
    data: new TextEncoder().encode("EADDRINUSE 0.0.0.0:8080"),
  });
  const url = `${office.slack.apiUrl.replace("/api/", "")}/files-pri/${log.id}/crash.log`;
  const file = { id: log.id, name: log.name, mimetype: log.mimetype, size: log.data.length, url_private: url };
  const forward = {
    is_share: true,
    is_msg_unfurl: true,
    author_name: "cy",
    channel_name: "deploys",
    text: "it died",
    files: [file],
  };
  const request = await askedUnder({ channel: office.channel(), user: "U0BOB", text: "", attachments: [forward] });
  const marked = request.split("</thread_conversation>");
  expect(marked[0]).toMatch(/from=.{1,3}bob/u);
  expect(marked[0]).toContain("cy wrote in #deploys");
  expect(marked[0]).toContain("it died");
  expect(request).toContain("Attached: crash.log (text/plain, 23 bytes)");
  expect(marked.find((part) => part.includes("EADDRINUSE"))).toMatch(/from=.{1,3}bob/u);
});

test("a screenshot that the thread hangs at is seen", async () => {
  const shot = office.slack.workspace.addFile({ name: "error.png", mimetype: "image/png", data: PIXEL });
  const raw = { subtype: "file_share" };
  const request = await askedUnder({ channel: office.channel(), user: "U0BOB", files: [shot], raw });
  expect(request).toContain("Attached: error.png (image/png");
  expect(request).toContain(PIXEL.toString("base64"));
});

test("a mention that is added by editing begins one run; a later edit begins none", async () => {
  office.model.script(() => text("Answered."));
  const { people, workspace } = office.slack;
  const channel = office.channel();
  const said = workspace.add({ channel, user: "U0ANA", text: "is the heron up?" });
  people.deliver(said);
  const mention = `<@${workspace.botUserId}>`;
  for (const delivery of people.edit(said, `${mention} is the heron up?`)) await delivery.answered;
  await office.until("an answer", () =>
    office.slack.thread(channel, said.ts).some((seen) => seen.text === "Answered."),
  );
  for (const delivery of people.edit(said, `${mention} is the heron up now?`)) await delivery.answered;
  people.deliver(said);
  const next = office.talk({ text: "something else", channel });
  await next.answered(1);
  expect(office.requestsAbout("is the heron up")).toHaveLength(1);

  const first = office.talk({ text: "count the gulls", channel });
  await first.answered(1);
  const root = workspace.find(channel, first.rootTs);
  if (root === undefined) throw new Error("the message is gone");
  for (const delivery of people.edit(root, `${mention} count the gulls, please`)) await delivery.answered;
  await office.talk({ text: "and else", channel }).answered(1);
  expect(office.requestsAbout("count the gulls, please")).toHaveLength(0);
});
