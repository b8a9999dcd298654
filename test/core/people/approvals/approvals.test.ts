import { expect, test } from "vitest";
import type { OutgoingMessage } from "../../../../src/core/platform/outgoing.ts";
import { PlatformError, SandboxError } from "../../../../src/core/protocol/errors.ts";
import { textResult } from "../../../../src/core/protocol/tool-result.ts";
import type { ModelRequest } from "../../../../src/core/providers/provider.ts";
import { type SimOffice, simOffice } from "../../../support/simulation/sim-office.ts";
import { ANA, BOB, CHIEF } from "../../../support/simulation/sim-people.ts";
import { type Reply, ScriptedModel, tool } from "../../agent/query-fixture.ts";

const MINUTE_MS = 60_000;

/** A model that calls `launch` once for each person's request that says so, and then ends. */
function launching() {
  const model = new ScriptedModel((request): Reply => {
    const last = request.messages.at(-1);
    const isToBeDone = last?.content.every(({ type }) => type !== "tool_result");
    const path = /launch (\w+)/u.exec(JSON.stringify(last?.content))?.[1];
    if (!isToBeDone || path === undefined) return { text: "Done." };
    return { calls: [{ id: `call_${request.messages.length}`, name: "launch", input: { path } }] };
  });
  const launched: string[] = [];
  const launch = tool("launch", {
    permission: "execute",
    parallel: false,
    afterCrash: "never",
    execute: ({ path }) => {
      launched.push(path);
      return Promise.resolve(textResult("launched"));
    },
  });
  return { model, launch, launched };
}

const results = ({ requests }: ScriptedModel): string => JSON.stringify(requests.at(-1)?.messages);

test("an expired card says so, the model is told, and a click asks again", async () => {
  const { model, launch, launched } = launching();
  const office = await simOffice({ model, tools: [launch] });
  await office.say("launch a", { by: ANA, thread: "1" });
  const [card] = office.cards("1");
  expect(card?.markdown).toContain("⏸ **Run launch a?**");
  await office.pass(59 * MINUTE_MS);
  expect(office.cards("1")).toHaveLength(1);

  await office.pass(MINUTE_MS);
  expect(office.cards("1")).toEqual([]);
  expect(card?.markdown).toBe("⚠ Nobody decided within 60 min; I left it out: launch `a`");
  expect(results(model)).toContain("Not run: nobody decided within 60 minutes. Continue without it, and say so.");
  expect(office.messages("1").at(-1)?.markdown).toBe("Done.");

  const late = await office.click("ask-again:", { by: BOB, thread: "1" });
  expect(late).toEqual({ type: "accepted" });
  // The model's own input must not appear as a person's words, because their addresses may be fetched unasked.
  const said = model.requests.at(-1)?.messages.findLast(({ author }) => author?.id === BOB.id);
  expect(JSON.stringify(said)).toContain("Nobody decided in time. Ask again for what is still needed");
  expect(JSON.stringify(said)).not.toContain("launch");
  expect(launched).toEqual([]);
});

test("a call that cannot be previewed is not run, and the model continues without it", async () => {
  const { model, launch, launched } = launching();
  const failing = { ...launch, preview: () => Promise.reject(new SandboxError("sandbox_failed", "no place in it")) };
  const office = await simOffice({ model, tools: [failing] });
  await office.say("launch a", { by: ANA, thread: "1" });
  expect(results(model)).toContain("Not run: what it would do cannot be shown to people (no place in it).");
  expect(office.messages("1").at(-1)?.markdown).toBe("Done.");
  expect(launched).toEqual([]);
});

test("a late click decides nothing and is answered", async () => {
  const { model, launch, launched } = launching();
  const office = await simOffice({ model, tools: [launch] });
  await office.say("launch a", { by: ANA, thread: "1" });
  const button = office.cards("1")[0]?.buttons[0] ?? "";
  await office.pass(61 * MINUTE_MS);
  const [card] = office.messages("1").filter(({ markdown }) => markdown.startsWith("⚠"));
  Object.assign(card ?? {}, { buttons: [button] });
  const receipt = await office.click("approve:y", { by: ANA, thread: "1" });
  expect(receipt).toMatchObject({
    type: "reply",
    message: { markdown: "No longer open: ⚠ Nobody decided within 60 min; I left it out." },
  });
  expect(launched).toEqual([]);
});

/** The platform's refusal of a message that it cannot display as written. */
const REFUSED = new PlatformError("defect", "invalid_blocks");

test("a card that the platform refuses is posted in a simpler form and can be decided once", async () => {
  const { model, launch, launched } = launching();
  const refuses = ({ markdown }: OutgoingMessage) => (markdown.includes("```") ? REFUSED : null);
  const office = await simOffice({ model, tools: [launch], refuses });
  await office.say("launch a", { by: ANA, thread: "1" });
  const [card] = office.cards("1");
  expect(card?.markdown).toContain("1. Run launch a?\n\nEverything is attached");
  expect(card?.files).toHaveLength(1);
  expect(card?.buttons).toHaveLength(2);
  await office.click("approve:y", { by: ANA, thread: "1" });
  expect(launched).toEqual(["a"]);
  expect(card?.markdown).toBe("✓ Allowed by @Ana: launch `a`");
});

test("calls that no card can show are not run, and thread and model are told", async () => {
  const { model, launch, launched } = launching();
  const refuses = ({ lane }: OutgoingMessage) => (lane === "approval" ? REFUSED : null);
  const office = await simOffice({ model, tools: [launch], refuses });
  await office.say("launch a", { by: ANA, thread: "1" });
  expect(office.messages("1").map(({ markdown }) => markdown)).toEqual([
    "✗ I couldn't post the card that asks for a decision, so I left it out: launch `a`",
    expect.stringMatching(/^✓ 2 turns · [\d.]+ s$/u),
    "Done.",
  ]);
  expect(results(model)).toContain("Not run: nobody could be asked");
  expect(launched).toEqual([]);
});

test("a call withdrawn by a stop is not listed among those that ran", async () => {
  const { model, launch } = launching();
  const office = await simOffice({ model, tools: [launch] });
  await office.say("launch a", { by: ANA, thread: "1" });
  await office.say("/stop", { by: ANA, thread: "1" });
  const shown = office.messages("1").map(({ markdown }) => markdown);
  expect(shown).toContain("⏹ Stopped by @Ana. Nothing was changed.");
});

test("if no card can be posted, no approval stays pending", async () => {
  const { model, launch } = launching();
  const gone = new PlatformError("thread_gone", "channel_is_archived");
  const office = await simOffice({ model, tools: [launch], refuses: () => gone });
  await office.say("launch a", { by: ANA, thread: "1" });
  expect(await office.store.approvals.pendingIn("slack:C")).toEqual([]);
});

/** The grant, the request that follows it, and whether that request needs a card. */
interface GrantCase {
  readonly name: string;
  readonly granted: "approve:a" | "approve:A";
  readonly next: {
    readonly by: typeof ANA;
    readonly thread: string;
    readonly channel?: string;
    readonly what?: string;
  };
  readonly isAsked: boolean;
}

const grantCases: readonly GrantCase[] = [
  { name: "for a session covers it", granted: "approve:a", next: { by: ANA, thread: "1" }, isAsked: false },
  {
    name: "for a session, another thing",
    granted: "approve:a",
    next: { by: ANA, thread: "1", what: "b" },
    isAsked: true,
  },
  { name: "for a session, another person", granted: "approve:a", next: { by: BOB, thread: "1" }, isAsked: true },
  { name: "for a session, another session", granted: "approve:a", next: { by: ANA, thread: "2" }, isAsked: true },
  { name: "for always covers another session", granted: "approve:A", next: { by: ANA, thread: "2" }, isAsked: false },
  { name: "for always, another person", granted: "approve:A", next: { by: BOB, thread: "2" }, isAsked: true },
  {
    name: "for always, another channel",
    granted: "approve:A",
    next: { by: ANA, thread: "2", channel: "D" },
    isAsked: true,
  },
];

test.each(grantCases)("a grant $name: asked again $isAsked", async ({ granted, next, isAsked }) => {
  const { model, launch, launched } = launching();
  const office = await simOffice({ model, tools: [launch] });
  await office.say("launch a", { by: ANA, thread: "1" });
  await office.click(granted, { by: ANA, thread: "1" });
  expect(launched).toEqual(["a"]);
  const { what = "a", ...speech } = next;
  await office.say(`launch ${what}`, speech);
  expect(office.cards(speech.thread)).toHaveLength(isAsked ? 1 : 0);
  expect(launched).toHaveLength(isAsked ? 1 : 2);
});

test("a grant for a writing tool and a grant for a file of the same name do not cover each other", async () => {
  const model = new ScriptedModel((request): Reply => {
    const last = JSON.stringify(request.messages.at(-1)?.content);
    const name = /please (\w+)/u.exec(last)?.[1];
    if (name === undefined) return { text: "Done." };
    const input = name === "write" ? { path: "mcp:hub:drop" } : { path: "x" };
    return { calls: [{ id: `call_${request.messages.length}`, name, input }] };
  });
  const ran: string[] = [];
  const writing = (name: string, key: string) => ({
    ...tool(name, {
      permission: "write",
      execute: () => {
        ran.push(name);
        return Promise.resolve(textResult("done"));
      },
    }),
    grant: () => ({ key, label: name }),
  });
  const tools = ["write", "edit", "drop"].map((name) => writing(name, "mcp:hub:drop"));
  const office = await simOffice({ model, tools });
  await office.say("please write", { by: ANA, thread: "1" });
  await office.click("approve:A", { by: ANA, thread: "1" });
  await office.say("please edit", { by: ANA, thread: "1" });
  expect(ran).toEqual(["write", "edit"]);
  await office.say("please drop", { by: ANA, thread: "1" });
  expect(office.cards("1")).toHaveLength(1);
  expect(ran).toEqual(["write", "edit"]);
});

test("a grant for one tool does not cover another tool that always asks", async () => {
  const model = new ScriptedModel((request): Reply => {
    const name = /please (\w+)/u.exec(JSON.stringify(request.messages.at(-1)?.content))?.[1];
    if (name === undefined) return { text: "Done." };
    return { calls: [{ id: `call_${request.messages.length}`, name, input: { path: "x" } }] };
  });
  const grant = () => ({ key: "x", label: "x" });
  const rule = () => ({ type: "ask", why: "It instructs agents.", always: true }) as const;
  const write = { ...tool("write", { permission: "write" }), grant };
  const office = await simOffice({ model, tools: [write, { ...tool("edit", { permission: "write" }), grant, rule }] });
  await office.say("please write", { by: ANA, thread: "1" });
  await office.click("approve:A", { by: ANA, thread: "1" });
  await office.say("please edit", { by: ANA, thread: "1" });
  expect(office.cards("1")[0]?.markdown).toContain("It instructs agents.");
});

test("the decision on a command names the command, not the model's description", async () => {
  const model = new ScriptedModel((request): Reply => {
    const isAsked = JSON.stringify(request.messages.at(-1)?.content).includes("tidy up");
    return isAsked ? { calls: [{ id: "call_1", name: "bash", input: { path: "a" } }] } : { text: "Done." };
  });
  const bash = {
    ...tool("bash", { permission: "execute" }),
    title: () => "list the files",
    preview: () =>
      Promise.resolve({ question: "Run a command?", language: "sh", text: "rm -rf notes\nls", reach: "no network" }),
  };
  const office = await simOffice({ model, tools: [bash] });
  await office.say("tidy up", { by: ANA, thread: "1" });
  const [card] = office.cards("1");
  await office.click("approve:y", { by: ANA, thread: "1" });
  expect(card?.markdown).toBe("✓ Allowed by @Ana: bash `rm -rf notes ls`");
});

test("a session grant by an approver applies to the requester, not to the approver", async () => {
  const { model, launch, launched } = launching();
  const office = await simOffice({ model, tools: [launch] });
  await office.say("launch a", { by: ANA, thread: "1" });
  await office.click("approve:a", { by: CHIEF, thread: "1" });
  await office.say("launch a", { by: ANA, thread: "1" });
  expect(launched).toEqual(["a", "a"]);
  await office.say("launch a", { by: CHIEF, thread: "1" });
  expect(office.cards("1")).toHaveLength(1);
});

test("a revoked grant no longer applies", async () => {
  const { model, launch, launched } = launching();
  const office = await simOffice({ model, tools: [launch] });
  await office.say("launch a", { by: ANA, thread: "1" });
  await office.click("approve:A", { by: ANA, thread: "1" });
  const [grant] = await grantsOf(office);
  expect(grant).toMatchObject({ key: "launch:launch:a", personId: ANA.id, sessionId: null, grantedBy: "@Ana" });
  await office.store.transaction((tx) => tx.grants.revoke(grant?.id ?? "", 0));
  await office.say("launch a", { by: ANA, thread: "2" });
  expect(office.cards("2")).toHaveLength(1);
  expect(launched).toEqual(["a"]);
});

async function grantsOf({ store }: SimOffice) {
  const session = await store.sessions.byKey("slack:T:C:1");
  return store.grants.inForce({ sessionId: session?.id ?? "", channelId: session?.channelKey ?? "" });
}

/** A model that calls `look`, which lasts until its gate opens, and then `launch`. */
function lookingFirst() {
  const { launch, launched } = launching();
  const gates: (() => void)[] = [];
  const look = tool("look", {
    execute: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.push(resolve);
      await promise;
      return textResult("seen");
    },
  });
  const model = new ScriptedModel((request: ModelRequest): Reply => {
    const asked = request.messages.findLastIndex(({ content }) => JSON.stringify(content).includes("go ahead"));
    const done = request.messages.slice(asked).filter(({ role }) => role === "assistant").length;
    const id = `call_${request.messages.length}`;
    if (done === 0) return { calls: [{ id, name: "look", input: { path: "a" } }] };
    return done === 1 ? { calls: [{ id, name: "launch", input: { path: "a" } }] } : { text: "Done." };
  });
  return { model, look, launch, launched, gates };
}

test.each([
  { name: "to the agent", addressed: "mention" },
  { name: "to somebody else", addressed: "none" },
] as const)(
  "text $name of a person without the grant voids it for the run, and the card names that person",
  async (said) => {
    const { model, look, launch, launched, gates } = lookingFirst();
    const office = await simOffice({ model, tools: [look, launch] });
    await office.say("go ahead", { by: ANA, thread: "1" });
    gates.shift()?.();
    await office.pass(5_000);
    await office.click("approve:a", { by: ANA, thread: "1" });
    await office.say("go ahead", { by: ANA, thread: "1" });
    gates.shift()?.();
    await office.pass(5_000);
    expect(launched).toEqual(["a", "a"]);

    await office.say("go ahead", { by: ANA, thread: "1" });
    await office.say("and quickly", { by: BOB, thread: "1", addressed: said.addressed });
    gates.shift()?.();
    await office.pass(5_000);
    expect(launched).toEqual(["a", "a"]);
    expect(office.cards("1")[0]?.markdown).toContain("asked by @Ana, with words from @Bob");
  },
);
