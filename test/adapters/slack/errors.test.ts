import { expect, test } from "vitest";
import { slackErrorName, toPlatformError } from "../../../src/adapters/slack/errors.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { begin, failureOf, plainMessage } from "../../contracts/platform-steps.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";

const platform = (error: string, more = {}) => ({
  code: "slack_webapi_platform_error",
  data: { ok: false, error, ...more },
});

const cases = [
  { thrown: platform("invalid_auth"), code: "platform_auth" },
  { thrown: platform("token_expired"), code: "platform_auth" },
  { thrown: platform("account_inactive"), code: "platform_auth" },
  {
    thrown: platform("missing_scope", { needed: "files:read", provided: "chat:write" }),
    code: "missing_scope",
    detail: { scope: "files:read" },
  },
  { thrown: platform("channel_not_found"), code: "thread_gone" },
  { thrown: platform("is_archived"), code: "thread_gone" },
  { thrown: platform("is_inactive"), code: "thread_gone" },
  { thrown: platform("not_in_channel"), code: "thread_gone" },
  { thrown: platform("message_not_found"), code: "thread_gone" },
  { thrown: platform("user_not_found"), code: "thread_gone" },
  { thrown: platform("restricted_action"), code: "missing_scope" },
  { thrown: platform("restricted_action_read_only_channel"), code: "missing_scope" },
  {
    thrown: platform("restricted_action_thread_locked"),
    code: "missing_scope",
    detail: { mend: "A workspace or app setting blocks this; an admin can change it." },
  },
  { thrown: platform("ekm_access_denied"), code: "missing_scope" },
  { thrown: platform("accesslimited"), code: "missing_scope" },
  { thrown: platform("file_type_not_allowed"), code: "missing_scope" },
  { thrown: platform("file_uploads_except_images_disabled"), code: "missing_scope" },
  { thrown: platform("storage_limit_reached"), code: "missing_scope" },
  { thrown: platform("slack_connect_file_upload_sharing_blocked"), code: "missing_scope" },
  { thrown: platform("app_access_restricted"), code: "missing_scope" },
  { thrown: platform("messages_tab_disabled"), code: "thread_gone" },
  { thrown: platform("message_limit_exceeded"), code: "missing_scope" },
  { thrown: platform("is_bot"), code: "platform_auth" },
  { thrown: platform("channel_is_limited_access"), code: "thread_gone" },
  { thrown: platform("cant_delete_message"), code: "thread_gone" },
  { thrown: platform("missing_argument"), code: "defect" },
  { thrown: platform("method_deprecated"), code: "defect" },
  { thrown: platform("no_permission"), code: "thread_gone" },
  { thrown: platform("cannot_reply_to_message"), code: "thread_gone" },
  { thrown: platform("user_disabled"), code: "thread_gone" },
  { thrown: platform("slack_connect_file_link_sharing_blocked"), code: "defect" },
  { thrown: platform("ratelimited"), code: "platform_rate_limited" },
  { thrown: platform("invalid_blocks"), code: "defect", detail: { error: "invalid_blocks" } },
  { thrown: platform("fatal_error"), code: "platform_failed", detail: { error: "fatal_error" } },
  { thrown: platform("new_restriction"), code: "platform_failed", detail: { refused: "unknown" } },
  {
    thrown: { code: "slack_webapi_rate_limited_error", retryAfter: 7 },
    code: "platform_rate_limited",
    retryAfterMs: 7_000,
  },
  { thrown: { code: "slack_webapi_http_error", statusCode: 503 }, code: "platform_failed" },
  { thrown: { code: "slack_webapi_request_error", original: new Error("reset") }, code: "network" },
  {
    thrown: Object.assign(new Error("no response"), {
      code: "slack_webapi_request_error",
      original: new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) }),
    }),
    code: "network",
    detail: { sent: "no" },
  },
  { thrown: new TypeError("fetch failed"), code: "platform_failed" },
  { thrown: "a string", code: "platform_failed" },
];

test.each(cases)("$thrown maps to $code", ({ thrown, code, ...rest }) => {
  const error = toPlatformError(thrown, "write here");
  expect(error).toBeInstanceOf(PlatformError);
  expect(error).toMatchObject({
    code,
    cause: thrown,
    ...rest,
    detail: { platform: "Slack", purpose: "write here", ...rest.detail },
  });
});

test("an AppError keeps its code", () => {
  const error = new PlatformError("thread_gone", "gone");
  expect(toPlatformError(error, "write here")).toBe(error);
});

test("only errors returned by Slack have a Slack error name", () => {
  expect(slackErrorName(platform("already_reacted"))).toBe("already_reacted");
  expect(slackErrorName(new Error("other"))).toBeUndefined();
});

test("an unreadable response counts as transient, and its content is not repeated", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  await harness.mention("hello");
  const { thread } = await inbox.nextMessage();
  const { faults } = harness.server;
  const answers = [
    { kind: "status", status: 200 },
    { kind: "error", error: "org_login_required" },
  ] as const;
  for (const answer of answers) {
    faults.add("chat.postMessage", answer);
    const failure = await failureOf(harness.platform.post(thread, plainMessage("Done."), "answer:0"));
    expect(failure).toMatchObject({ code: "platform_failed" });
    expect(failure?.detail).not.toHaveProperty("refused");
    expect(failure?.message).not.toContain("went wrong");
  }
});

test("a reply to a deleted message is removed, although Slack would post it in the channel", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  await harness.mention("hello");
  const { thread, messageId } = await inbox.nextMessage();
  const { workspace } = harness.server;
  const [said] = workspace.messages.splice(0);
  expect(said?.ts).toBe(messageId);
  await expect(harness.platform.post(thread, plainMessage("Done."), "answer:0")).rejects.toMatchObject({
    code: "thread_gone",
  });
  expect(workspace.messages).toEqual([]);
});

test("a reply that Slack reports as no reply is kept if its root exists", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  await harness.mention("hello");
  const { thread } = await inbox.nextMessage();
  const { workspace, faults } = harness.server;
  const answered = Promise.withResolvers<void>();
  faults.add("chat.postMessage", { kind: "slow", until: answered.promise });
  const before = workspace.messages.splice(0);
  const posting = harness.platform.post(thread, plainMessage("Done."), "answer:0");
  await expect.poll(() => workspace.messages.length).toBe(1);
  workspace.messages.unshift(...before);
  answered.resolve();
  await posting;
  expect(workspace.messages).toHaveLength(before.length + 1);
});
