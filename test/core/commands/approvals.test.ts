import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import type { Person } from "../../../src/core/platform/thread.ts";
import { click, intakeOptions, mention, privateText, slash } from "../inbound/intake-fixture.ts";

const BEN: Person = { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false };
const MINUTE_MS = 60_000;

/** Ana's session with one waiting call and two grants: hers for the session and Ben's for the channel. */
async function scene() {
  const { options, session } = await intakeOptions();
  const receive = createIntake(options);
  await receive(mention("begin"));
  const { store, runtime } = options;
  const at = runtime.clock.now();
  const sessionId = (await session())?.id ?? "";
  const grant = { channelId: "slack:C1", grantedBy: "@ana" };
  const call = { callId: "c1", tool: "bash", input: "{}", grant: { key: "k", label: "l" }, title: "bash make" };
  await store.transaction(async (tx) => {
    await tx.grants.add({
      ...grant,
      id: "grt_1",
      sessionId,
      personId: "slack:U1",
      key: "bash:make test",
      label: "this command",
      createdAt: at - 5 * MINUTE_MS,
    });
    await tx.grants.add({
      ...grant,
      id: "grt_2",
      sessionId: null,
      personId: BEN.id,
      key: "write:a.txt",
      label: "changing a.txt",
      createdAt: at - 4 * MINUTE_MS,
    });
    await tx.runs.begin({ id: "run_1", sessionId, eventSeq: 0, at });
    await tx.approvals.create({
      id: "run_1:1",
      sessionId,
      runId: "run_1",
      turn: 1,
      calls: [call],
      people: { requester: { id: "slack:U1", name: "ana" }, others: [], mayRemember: true },
      expiresAt: at + 30.5 * MINUTE_MS,
      createdAt: at - 2 * MINUTE_MS,
    });
    // The message in the history gives the name that belongs to the id.
    await tx.messages.append(sessionId, "run_0", {
      id: "msg_1",
      role: "user",
      content: [{ type: "text", text: "begin" }],
      author: { id: "slack:U1", name: "ana" },
      createdAt: at,
    });
  });
  return { options, receive };
}

test("/approvals lists pending approvals and grants", async () => {
  const { receive } = await scene();
  const receipt = await receive(mention("/approvals"));
  expect(privateText(receipt).split("\n")).toEqual([
    "**Waiting for a decision**",
    "⏸ bash make · asked by @ana 2 min ago · expires in 30 min",
    "",
    "**Allowed here**",
    "1. this command `make test` · for @ana, in this session · allowed by @ana 5 min ago",
    "2. changing a.txt · for slack:U2, in this channel · allowed by @ana 4 min ago",
  ]);
  const buttons = receipt.type === "reply" ? receipt.message.buttons : [];
  expect(buttons.map(({ id, label }) => [id, label])).toEqual([
    ["revoke:grt_1", "Revoke 1"],
    ["revoke:grt_2", "Revoke 2"],
  ]);
});

test("outside a thread only the channel's grants are listed, with a hint at pending approvals elsewhere", async () => {
  const { receive } = await scene();
  const text = privateText(await receive(slash("approvals")));
  expect(text).toContain("· in another thread");
  expect(text).toContain("1. changing a.txt");
  expect(text).not.toContain("make test");
});

test("pending approvals of other people's threads are counted without details", async () => {
  const { receive } = await scene();
  const text = privateText(await receive(slash("approvals", "", { person: BEN })));
  expect(text).toContain("⏸ 1 in other threads, for others to decide");
  expect(text).not.toContain("make");
  expect(text).not.toContain("ana 2 min");
});

test("an approval left undecided by an ended run is not listed", async () => {
  const { options, receive } = await scene();
  const at = options.runtime.clock.now();
  await options.store.transaction((tx) => tx.runs.end("run_1", { type: "max_turns", turns: 1 }, at));
  expect(privateText(await receive(mention("/approvals")))).toContain("Nothing is waiting for a decision here.");
});

test("a grant is revoked once, by a person whom it covers", async () => {
  const { options, receive } = await scene();
  expect(privateText(await receive(mention("/approvals revoke 1")))).toBe(
    "✓ Revoked: this command `make test`. I'll ask again from now on.",
  );
  expect(await options.store.grants.get("grt_1")).toBeNull();
  expect(privateText(await receive(click("revoke:grt_1", { person: BEN })))).toBe("That approval is already revoked.");
  expect(privateText(await receive(click("revoke:grt_2", { person: BEN })))).toContain("✓ Revoked: changing a.txt.");
  expect(privateText(await receive(mention("/approvals")))).toContain("I remember no approvals here");
});

test.each<[string, Partial<{ approvers: string[]; admins: string[] }>, string]>([
  ["somebody else", {}, "Only approvers, admins and the person it covers can revoke this approval."],
  ["an approver", { approvers: [BEN.id] }, "✓ Revoked: this command `make test`. I'll ask again from now on."],
  ["an admin", { admins: [BEN.id] }, "✓ Revoked: this command `make test`. I'll ask again from now on."],
])("%s who revokes Ana's grant gets the result", async (_who, named, answer) => {
  const { options } = await scene();
  const receive = createIntake({ ...options, approvals: { ...options.approvals, ...named } });
  expect(privateText(await receive(click("revoke:grt_1", { person: BEN })))).toBe(answer);
});

test.each([
  ["/approvals forget 1", "I don't know `forget`. Did you mean `/approvals revoke <number>`?"],
  ["/approvals revoke", "Which one? `/approvals` shows the numbers for `/approvals revoke <number>`."],
  ["/approvals revoke 7", "There is no approval number 7 here. `/approvals` lists them."],
])("the reply to %s", async (typed, answer) => {
  const { receive } = await scene();
  expect(privateText(await receive(mention(typed)))).toBe(answer);
});
