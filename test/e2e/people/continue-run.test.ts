import { describe, expect, test } from "vitest";
import { hold, overloaded, stop, text, toolUse, usage } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { PLATFORMS, useBothPlatforms } from "../../support/talk/both-platforms.ts";
import { answers, type SceneMessage } from "../../support/talk/scene.ts";
import type { SlackOffice, Talk } from "../../support/talk/slack-talk.ts";

/** Channels whose runs have one turn, and one where they may cost little. */
const [ONE_TURN, LOW] = ["C9001", "C9002"];

/** Elsewhere there are enough turns for an answer in four pieces, and soon over. */
const both = useBothPlatforms({
  settings: {
    mode: "agi",
    maxTurns: 5,
    fallbackModel: "anthropic/claude-haiku-5-5",
    access: { deny: ["slack:U0CY"] },
    channels: { [`slack:${ONE_TURN}`]: { maxTurns: 1 }, [`slack:${LOW}`]: { maxBudgetUsd: 0.1 } },
  },
});

/** Ways in which runs end before they are done, and what the model does once somebody has clicked. */
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
  test.each(endings)("a run that ends $name is gone on with at a click", async (ending) => {
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

/** A thread whose run has ended after its only turn. */
async function stopped(office: SlackOffice): Promise<Talk> {
  const talk = office.talk({ text: "count", channel: ONE_TURN });
  await talk.answered(1);
  return talk;
}

test("of two people who click one is heard, and the other is told who was", async () => {
  const office = both.slack(ENDLESS);
  const talk = await stopped(office);
  office.model.script(() => text("Three."));
  talk.click("continue:");
  talk.click("continue:", "U0BOB");
  expect(await talk.answered(2)).toBe("Three.");
  const told = () => [...office.ephemeralsTo("U0ANA"), ...office.ephemeralsTo("U0BOB")];
  await office.until("the other's reply", () => told().length === 1);
  expect(told()[0]).toMatch(/^@(?:ana|bob) has clicked this already\.$/u);
  expect(office.model.requests).toHaveLength(2);
});

test("a click while another run goes on begins none, and says so", async () => {
  const office = both.slack(ENDLESS);
  const talk = await stopped(office);
  const gate = hold();
  office.model.script(() => [gate.part, text("Three.")]);
  talk.mention("once more");
  await gate.reached;
  talk.click("continue:");
  await office.until("the reply", () => office.ephemeralsTo("U0ANA").length === 1);
  expect(office.ephemeralsTo("U0ANA")).toEqual(["**build** is at work here already."]);
  gate.release();
  expect(await talk.answered(2)).toBe("Three.");
  expect(office.model.requests).toHaveLength(2);
});

test("a click by somebody who is not served begins nothing", async () => {
  const office = both.slack(ENDLESS);
  const talk = await stopped(office);
  office.slack.workspace.users.set("U0CY", { id: "U0CY", name: "cy" });
  talk.click("continue:", "U0CY");
  await office.until("the refusal", () => office.ephemeralsTo("U0CY").length === 1);
  expect(office.model.requests).toHaveLength(1);
});

test("a click on an ended run that comes just before kill -9 is gone on with once", async () => {
  const office = both.slack(ENDLESS);
  const talk = await stopped(office);
  const gate = hold();
  office.model.script(() => [gate.part, text("Three.")]);
  talk.click("continue:");
  await gate.reached;
  await office.bot.kill("SIGKILL");
  office.model.script(() => text("Three."));
  await office.bot.start();
  talk.click("continue:");
  expect(await talk.answered(2)).toBe("Three.");
  expect(office.model.requests).toHaveLength(3);
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
