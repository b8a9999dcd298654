import { beforeEach, describe, expect, test } from "vitest";
import { type Gate, hold, overloaded, silent, stop, text, toolUse, usage } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { PLATFORMS, useBothPlatforms } from "../../support/talk/both-platforms.ts";
import { answers, type SceneMessage } from "../../support/talk/scene.ts";
import { conversationOf, overheard, type SlackOffice, type Talk } from "../../support/talk/slack-talk.ts";

/** What people do during a run, and with a run that ended before its work was done. */

/** A channel whose runs have one turn, and one with a low budget for a run. */
const [ONE_TURN, LOW] = ["C9001", "C9002"];

/**
 * In other channels the five turns are enough for an answer in four pieces and are soon used up; two runs may run at
 * once.
 */
const both = useBothPlatforms({
  settings: {
    mode: "agi",
    maxConcurrentRuns: 2,
    maxTurns: 5,
    fallbackModel: "anthropic/claude-haiku-5-5",
    access: { deny: ["slack:U0DEE"] },
    channels: { [`slack:${ONE_TURN}`]: { maxTurns: 1 }, [`slack:${LOW}`]: { maxBudgetUsd: 0.1 } },
  },
});

describe("during a run", () => {
  let office: SlackOffice;
  beforeEach(() => {
    office = both.slack();
    office.slack.workspace.users.set("U0CY", { id: "U0CY", name: "cy" });
  });
  const newest = () => conversationOf(office.model.requests.at(-1)?.body);
  const says = (words: string) => office.talk({ text: words, channel: office.channel() });

  test("a stop ends the wait for a silent model at once; the next run is told what was stopped", async () => {
    office.model.script(() => silent());
    const before = office.model.requests.length;
    const talk = says("delete everything");
    const request = await office.model.request(before);
    await talk.shows(/turn 1/u);
    talk.click("stop:", "U0BOB");
    expect(await request.ended).toBe("aborted");
    await talk.shows(/^⏹ Stopped by @bob\. Nothing was changed\.$/u);
    office.model.script(() => text("Listed."));
    talk.say("list the files");
    expect(await talk.answered(1)).toBe("Listed.");
    expect(newest()).toContain("[Stopped by @bob. Do not continue with what was asked so far");
  });

  test("another person's /stop ends an endless program, and lists the changes", async () => {
    office.model.script(({ toolResults }) =>
      toolResults.length === 0
        ? toolUse("write", { path: "notes.txt", content: "x" })
        : toolUse("js_exec", { code: "while (true) {}" }),
    );
    const talk = says("run it");
    await talk.shows(/js_exec/u);
    const before = office.model.requests.length;
    talk.mention("/stop", { user: "U0BOB" });
    await talk.shows(/^⏹ Stopped by @bob after 2 tools\. notes\.txt was already changed\.$/u);
    expect(office.model.requests.length).toBe(before);
    office.model.script(() => text("Fine."));
    talk.say("go on");
    await talk.answered(1);
    expect(newest()).toContain("Cancelled by @bob while it was running");
  });

  test("of two concurrent stops one counts and the other is answered; an outdated button says so", async () => {
    const gate = hold();
    office.model.script(() => [text("Word by word "), gate.part]);
    const talk = office.talk({ text: "hold on", channel: office.channel(), user: "U0CY" });
    await gate.reached;
    await talk.shows(/turn 1/u);
    const stop = talk.live().flatMap(({ ts, buttons }) => buttons.map(({ id }) => ({ ts, actionId: id })))[0];
    if (stop === undefined) throw new Error("there is no Stop button");
    const told = () => [...office.ephemeralsTo("U0ANA"), ...office.ephemeralsTo("U0BOB")];
    const known = told().length;
    for (const user of ["U0ANA", "U0BOB"])
      office.slack.people.click(talk.channel, stop.ts, { actionId: stop.actionId, user });
    await office.until("the other's line", () => told().length > known);
    await talk.shows(/^⏹ Stopped by @(?:ana|bob)\./u);
    expect(told()).toHaveLength(known + 1);
    expect(told().join("\n")).toMatch(/⏹ Already stopped by @(?:ana|bob)\./u);
    await untilIdle(office.bot);

    const message = office.slack.workspace.find(talk.channel, stop.ts);
    if (message === undefined) throw new Error("the live message is gone");
    message.blocks = [
      {
        type: "actions",
        elements: [
          { type: "button", action_id: "stop:run_of_another_time", text: { type: "plain_text", text: "Stop" } },
        ],
      },
    ];
    const before = office.ephemeralsTo("U0CY").length;
    talk.click("stop:", "U0CY");
    await office.until("a line", () => office.ephemeralsTo("U0CY").length > before);
    expect(office.ephemeralsTo("U0CY").at(-1)).toBe("This button no longer works.");
  });

  test("additions and edits of its requester enter before the next model call and get a ✓; messages of others do not", async () => {
    const gate = hold();
    office.model.script(({ toolResults }) =>
      toolResults.length === 0 ? [gate.part, toolUse("glob", { pattern: "*" })] : text("Both done."),
    );
    const talk = says("do this");
    await gate.reached;
    const added = talk.say("and that");
    const aside = talk.say("lunch?", { user: "U0BOB" });
    await Promise.all([added.answered, aside.answered]);
    const { workspace, people } = office.slack;
    const asked = workspace.find(talk.channel, talk.said.ts);
    if (asked === undefined) throw new Error("the request is gone");
    for (const delivery of people.edit(asked, `<@${workspace.botUserId}> do this in staging`)) await delivery.answered;
    gate.release();
    await talk.answered(1);
    expect(newest()).toMatch(/"(ana: )?and that"/);
    expect(newest()).toContain(overheard("bob", "lunch?"));
    expect(newest()).toMatch(/It now reads:\]\\n *do this in staging/u);
    const reactions = (ts: string) => workspace.find(talk.channel, ts)?.reactions;
    await office.until("the signs", () => [added.ts, talk.said.ts].every((ts) => (reactions(ts)?.length ?? 0) > 0));
    expect([added.ts, talk.said.ts, aside.ts].map(reactions)).toEqual([["white_check_mark"], ["white_check_mark"], []]);
    expect(office.requestsAbout("do this")).toHaveLength(2);
  });

  test("runs of a session are serial, and other sessions run concurrently", async () => {
    const gate = hold();
    office.model.script(({ lastUserText }) =>
      lastUserText.includes("the slow one") ? [gate.part, text("Slow.")] : text("Quick."),
    );
    const slow = says("the slow one");
    await gate.reached;
    await slow.say("the next one").answered;
    const beside = says("the quick one");
    expect(await beside.answered(1)).toBe("Quick.");
    expect(office.requestsAbout("the next one")).toEqual([]);
    gate.release();
    expect([await slow.answered(1), await slow.answered(2)]).toEqual(["Slow.", "Quick."]);
  });
});

describe("with slots for two runs", () => {
  test("other runs wait visibly and can be stopped, and channels alternate", async () => {
    const office = both.slack();
    const gates = new Map<string, Gate>(["a", "b", "c", "d", "e"].map((name) => [`run-${name}`, hold()]));
    const begun: string[] = [];
    office.model.script(({ body }) => {
      const name = /run-\w/u.exec(conversationOf(body))?.[0] ?? "";
      begun.push(name);
      return [gates.get(name)?.part ?? text(""), text(`Answer of ${name}`)];
    });
    const [busy, quiet] = [office.channel(), office.channel()];
    const start = async (name: string, channel: string): Promise<Talk> => {
      const talk = office.talk({ text: name, channel });
      await talk.said.answered;
      return talk;
    };
    const a = await start("run-a", busy);
    await gates.get("run-a")?.reached;
    const b = await start("run-b", busy);
    await gates.get("run-b")?.reached;
    const c = await start("run-c", busy);
    await c.shows(/queued, 0 before you/u);
    const d = await start("run-d", busy);
    await d.shows(/queued, 1 before you/u);
    const e = await start("run-e", quiet);
    await e.shows(/queued, 1 before you/u);
    await d.shows(/queued, 2 before you/u);

    c.click("stop:", "U0BOB");
    await c.shows(/^⏹ Stopped by @bob\. Nothing was changed\.$/u);
    expect(begun).toEqual(["run-a", "run-b"]);

    for (const gate of gates.values()) gate.release();
    for (const talk of [a, b, d, e]) expect(await talk.answered(1)).toMatch(/^Answer of run-/u);
    expect(begun.toSorted()).toEqual(["run-a", "run-b", "run-d", "run-e"]);
  });

  test("a busy channel does not delay a quiet one", async () => {
    const office = both.slack();
    const gates: Gate[] = [];
    const begun: string[] = [];
    office.model.script(({ lastUserText }) => {
      const gate = hold();
      gates.push(gate);
      begun.push(lastUserText.split("\n")[0] ?? "");
      return [gate.part, text("Done.")];
    });
    const [busy, quiet] = [office.channel(), office.channel()];
    const talks: Talk[] = [];
    for (const words of ["busy 1", "busy 2", "busy 3", "busy 4", "busy 5"]) {
      const talk = office.talk({ text: words, channel: busy });
      await talk.said.answered;
      talks.push(talk);
    }
    const late = office.talk({ text: "quiet 1", channel: quiet });
    await late.said.answered;
    // All threads have their places in the queue before the first one moves up.
    await office.until("the others to wait", async () =>
      (await office.bot.probe("metrics")).text.includes('deckhand_runs{state="waiting"} 4'),
    );
    for (let released = 0; released < 6; released += 1) {
      await office.until("the next run", () => gates.length > released);
      gates[released]?.release();
    }
    for (const talk of [...talks, late]) await talk.answered(1);
    expect(begun.indexOf("quiet 1")).toBeLessThanOrEqual(3);
  });
});

/** Ways in which a run ends before its work is done, and the request that a click on its button sends to the model. */
const endings: readonly {
  name: string;
  before: Script;
  says: RegExp;
  button: string;
  asks: string;
}[] = [
  {
    name: "after its last turn",
    before: (_request, index) => toolUse("glob", { pattern: `*${index}` }),
    says: /✗ Stopped after 5 turns without an end\./u,
    button: "continue:",
    asks: "Continue.",
  },
  {
    name: "with an answer cut off four times",
    before: (_request, index) => [text(`piece ${index}, `), stop("max_tokens")],
    says: /^piece 0, piece 1, piece 2, piece 3,\s+(?:-# )?⚠ The answer was longer/u,
    button: "continue:",
    asks: "Continue.",
  },
  {
    name: "with both models overloaded",
    before: () => overloaded(),
    says: /✗ Both models are overloaded\. I tried for \d+ s\. Nothing was changed\./u,
    button: "retry:",
    asks: "Try again.",
  },
];

describe.each(PLATFORMS)("on %s", (platform) => {
  test.each(endings)("a run that ends $name can be continued by a click", async (ending) => {
    const scene = both.scene(platform);
    scene.model.script(ending.before);
    const thread = scene.mention("count the files");
    const ended = await thread.until((all) => answers(all).length > 0);
    expect(answers(ended)[0]).toMatch(ending.says);
    const button = buttonsOf(ended, ending.button)[0] ?? "";
    const before = scene.model.requests.length;
    scene.model.script(() => text("There are three."));

    thread.click(button);
    thread.click(button);
    const after = await thread.until((all) => answers(all).includes("There are three."));
    expect(scene.model.requests).toHaveLength(before + 1);
    expect(scene.model.requests[before]?.lastUserText).toContain(ending.asks);
    expect(answers(after)).toHaveLength(2);
  });
});

function buttonsOf(messages: readonly SceneMessage[], prefix: string): string[] {
  return messages.flatMap(({ buttons }) => buttons.filter((id) => id.startsWith(prefix)));
}

const ENDLESS: Script = (_request, index) => toolUse("glob", { pattern: `*${index}` });

/** Starts a thread whose run ends after its only turn. */
async function stopped(office: SlackOffice): Promise<Talk> {
  const talk = office.talk({ text: "count", channel: ONE_TURN });
  await talk.answered(1);
  return talk;
}

test("of two people who click, one continues the run and the other is told who did", async () => {
  const office = both.slack(ENDLESS);
  const talk = await stopped(office);
  office.model.script(() => text("Three."));
  talk.click("continue:");
  talk.click("continue:", "U0BOB");
  expect(await talk.answered(2)).toBe("Three.");
  const told = () => [...office.ephemeralsTo("U0ANA"), ...office.ephemeralsTo("U0BOB")];
  await office.until("the other's reply", () => told().length === 1);
  expect(told()[0]).toMatch(/^@(?:ana|bob) already clicked this\.$/u);
  expect(office.model.requests).toHaveLength(2);
});

test("a click during another run is refused", async () => {
  const office = both.slack(ENDLESS);
  const talk = await stopped(office);
  const gate = hold();
  office.model.script(() => [gate.part, text("Three.")]);
  talk.mention("once more");
  await gate.reached;
  talk.click("continue:");
  await office.until("the reply", () => office.ephemeralsTo("U0ANA").length === 1);
  expect(office.ephemeralsTo("U0ANA")).toEqual(["**build** is already working here."]);
  gate.release();
  expect(await talk.answered(2)).toBe("Three.");
  expect(office.model.requests).toHaveLength(2);
});

test("a click by a person who is not served starts nothing", async () => {
  const office = both.slack(ENDLESS);
  const talk = await stopped(office);
  office.slack.workspace.users.set("U0DEE", { id: "U0DEE", name: "dee" });
  talk.click("continue:", "U0DEE");
  await office.until("the refusal", () => office.ephemeralsTo("U0DEE").length === 1);
  expect(office.model.requests).toHaveLength(1);
});

test("a run that a budget ends offers its details", async () => {
  const office = both.slack((_request, index) => [
    toolUse("glob", { pattern: `*${index}` }),
    usage({ input: 0, output: 9_700 }),
  ]);
  const talk = office.talk({ text: "count", channel: LOW });
  expect(await talk.answered(1)).toMatch(/^✗ Stopped at \$0\.097 of \$0\.10 for this run/u);
  const ending = talk.seen().find(({ text: shown }) => shown.startsWith("✗ Stopped at"));
  expect(ending?.buttons.map(({ label }) => label)).toEqual(["Details"]);
});
