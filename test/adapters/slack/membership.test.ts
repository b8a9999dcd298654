import { expect, test } from "vitest";
import { Inbox } from "../../contracts/inbox.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";

const CASES = [
  {
    what: "a public channel that both are in",
    channel: {},
    membership: { isPrivate: false, isMember: true, canPost: true },
  },
  {
    what: "a public channel that only others are in",
    channel: { members: new Set(["U0BOB"]) },
    membership: { isPrivate: false, isMember: false, canPost: false },
  },
  {
    what: "a private channel that both are in",
    channel: { isPrivate: true, members: new Set(["U0ANA", "U0BOT"]) },
    membership: { isPrivate: true, isMember: true, canPost: true },
  },
  {
    what: "a private channel that only the bot is in",
    channel: { isPrivate: true, members: new Set(["U0BOT"]) },
    membership: { isPrivate: true, isMember: false, canPost: true },
  },
  {
    what: "a private channel that the bot is not in",
    channel: { isPrivate: true, members: new Set(["U0ANA"]) },
    membership: null,
  },
  { what: "no channel", channel: { gone: true }, membership: null },
  {
    what: "the person's direct messages",
    channel: { kind: "im" as const },
    membership: { isPrivate: true, isMember: true, canPost: true },
  },
];

test("channel membership of people and the bot follows Slack's answers", async () => {
  await using harness = await openSlackHarness();
  const platform = harness.adapter();
  await platform.start(new Inbox().receive, new AbortController().signal);
  for (const { what, channel, membership } of CASES) {
    harness.server.workspace.channels.set("C0009", {
      id: "C0009",
      name: "far",
      kind: "channel",
      gone: false,
      ...channel,
    });
    const thread = { platform: "slack", workspaceId: "T0001", channelId: "C0009", threadId: null } as const;
    expect(await platform.membership?.(thread, "slack:U0ANA"), what).toEqual(membership);
  }
});

test("concurrent lookups of one person in many channels make one request", async () => {
  await using harness = await openSlackHarness();
  const { server } = harness;
  const platform = harness.adapter();
  await platform.start(new Inbox().receive, new AbortController().signal);
  const ids = Array.from({ length: 40 }, (_, number) => `C1${String(number).padStart(3, "0")}`);
  for (const id of ids) {
    const members = new Set(["U0BOT", ...(id.endsWith("0") ? [] : ["U0ANA"])]);
    server.workspace.channels.set(id, { id, name: id, kind: "channel", isPrivate: true, members, gone: false });
  }
  const thread = { platform: "slack", workspaceId: "T0001", threadId: null } as const;
  const found = await Promise.all(
    ids.map(async (channelId) => platform.membership?.({ ...thread, channelId }, "slack:U0ANA")),
  );
  expect(found.map((membership) => membership?.isMember)).toEqual(ids.map((id) => !id.endsWith("0")));
  expect(server.calls.filter(({ method }) => method === "users.conversations").length).toBeLessThan(ids.length / 4);
});

test.each([
  { who: "a member", user: {}, member: { isGuest: false, isExternal: false } },
  { who: "a guest", user: { isRestricted: true }, member: { isGuest: true } },
  { who: "a deactivated account", user: { isDeleted: true }, member: null },
])("$who is recognised when looked up", async ({ user, member }) => {
  await using harness = await openSlackHarness();
  const { workspace } = harness.server;
  workspace.users.set("U0EVE", { id: "U0EVE", name: "eve", ...user });
  const platform = harness.adapter();
  await platform.start(new Inbox().receive, new AbortController().signal);
  const thread = { platform: "slack", workspaceId: workspace.teamId, channelId: "C0001", threadId: null } as const;
  const found = await platform.member?.(thread, "slack:U0EVE");
  if (member === null) expect(found).toBeNull();
  else expect(found).toMatchObject(member);
  expect(await platform.member?.(thread, "slack:U0GONE")).toBeNull();
});
