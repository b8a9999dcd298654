import { expect, test } from "vitest";
import { startSlackServer } from "../slack/slack-server.ts";

const button = (action_id: string, label = "Go") => ({
  type: "button",
  action_id,
  text: { type: "plain_text", text: label },
});
const context = { type: "context", elements: [{ type: "mrkdwn", text: "x" }] };
const actions = (count: number) => ({
  type: "actions",
  elements: Array.from({ length: count }, (_, n) => button(`b${n}`)),
});

/** What Slack documents about messages, and how the local Slack answers violations. */
test.each([
  { method: "chat.postMessage", what: "40,001 characters", body: { text: "x".repeat(40_001) }, error: "msg_too_long" },
  {
    method: "chat.postEphemeral",
    what: "40,001 characters",
    body: { text: "x".repeat(40_001) },
    error: "msg_too_long",
  },
  { method: "chat.update", what: "4,001 characters", body: { text: "x".repeat(4_001) }, error: "msg_too_long" },
  { method: "chat.postMessage", what: "nothing", body: {}, error: "no_text" },
  {
    method: "chat.postMessage",
    what: "51 blocks",
    body: { blocks: Array.from({ length: 51 }, () => context) },
    error: "invalid_blocks",
  },
  {
    method: "chat.postMessage",
    what: "12,001 characters of Markdown in two blocks",
    body: { blocks: [12_000, 1].map((length) => ({ type: "markdown", text: "x".repeat(length) })) },
    error: "msg_blocks_too_long",
  },
  {
    method: "chat.postMessage",
    what: "2,001 characters in a context block",
    body: { blocks: [{ type: "context", elements: [{ type: "mrkdwn", text: "x".repeat(2_001) }] }] },
    error: "invalid_blocks",
  },
  { method: "chat.postMessage", what: "26 buttons in a row", body: { blocks: [actions(26)] }, error: "invalid_blocks" },
  {
    method: "chat.postMessage",
    what: "a label of 76 characters",
    body: { blocks: [{ type: "actions", elements: [button("b", "x".repeat(76))] }] },
    error: "invalid_blocks",
  },
  {
    method: "chat.postMessage",
    what: "two buttons of one name",
    body: { blocks: [{ type: "actions", elements: [button("b"), button("b")] }] },
    error: "invalid_blocks",
  },
  {
    method: "chat.postMessage",
    what: "a block of no type",
    body: { blocks: [{ type: "poem" }] },
    error: "invalid_blocks",
  },
] as const)("the local Slack answers $method with $what: $error", async ({ method, body, error }) => {
  await using server = await startSlackServer();
  const { ts } = server.workspace.add({ channel: "C0001", user: server.workspace.botUserId, text: "hello" });
  const fields = Object.entries({ channel: "C0001", user: "U0ANA", ts, ...body });
  const asked = new URLSearchParams();
  for (const [name, value] of fields) asked.set(name, typeof value === "string" ? value : JSON.stringify(value));
  const answer = await fetch(`${server.apiUrl}${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.botToken}` },
    body: asked,
  });
  expect(await answer.json()).toEqual({ ok: false, error });
});
