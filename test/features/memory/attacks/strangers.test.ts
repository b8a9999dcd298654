import { beforeEach, expect, test } from "vitest";
import { text, toolUse } from "../../../support/model/model-script.ts";
import { untilIdle } from "../../../support/program/bot.ts";
import { discordOffice } from "../../../support/talk/discord-office.ts";
import { privateChannel, rowsOf, typed } from "../../../support/talk/memory-talk.ts";
import { useSlackOffice } from "../../../support/talk/shared-office.ts";
import type { SlackOffice } from "../../../support/talk/slack-talk.ts";

/** What somebody sends who was never offered it: another's form, another's button, a file of another channel. */

const office = useSlackOffice({ settings: { mode: "agi" } });
let at: SlackOffice;

beforeEach(() => {
  at = office(() => text("Done."));
});

const numberIn = (told: string) => /#(\d+)/u.exec(told)?.[1] ?? "";
const textsOf = (of: Pick<SlackOffice, "bot">) => rowsOf(of).map((row) => row.text);

/** The files that a channel's memories are exported to, in the person's direct messages. */
async function exported(channel: string, user = "U0ANA"): Promise<string[]> {
  const before = new Set(at.slack.workspace.files.keys());
  const told = await typed(at, "export", { channel, user });
  const fresh = () => [...at.slack.workspace.files].filter(([id]) => !before.has(id)).map(([, file]) => file);
  const count = told.includes("nothing here") ? 0 : 1;
  await at.until("the file", () => fresh().filter(({ data }) => data.length > 0).length === count);
  return fresh().map(({ data }) => new TextDecoder().decode(data));
}

test("an export of an open channel holds nothing of a private one, and that one's does", async () => {
  const secret = privateChannel(at);
  const open = at.channel();
  await typed(at, "add the merger with Shrike closes in March", { channel: secret });
  await typed(at, "add --scope me ana likes shrikes in private", { channel: secret });
  const words = "I want shrikes kept from the board";
  at.model.script(({ toolResults }) =>
    toolResults.length > 0
      ? text("Done.")
      : toolUse("use_tool", { name: "remember", input: { text: words, scope: "person" } }),
  );
  await at.talk({ text: `keep in mind: ${words}`, channel: secret }).answered(1);
  await typed(at, "add the shrike is painted green", { channel: open });
  expect(await exported(secret)).toEqual([expect.stringMatching(/closes in March[\s\S]*from the board/u)]);
  for (const user of ["U0ANA", "U0BOB"]) {
    const [file] = await exported(open, user);
    expect(file).toContain("painted green");
    expect(file).not.toContain("closes in March");
    expect(file).not.toContain("from the board");
    // This one is to follow ana, as she has said, who reads her files alone.
    expect(file?.includes("in private")).toBe(user === "U0ANA");
  }
});

test("on Slack another's form changes nothing, also where it was opened for its owner", async () => {
  const channel = at.channel();
  const number = numberIn(await typed(at, "add the ousel opens at six", { channel }));
  const { people, workspace } = at.slack;
  await people.command("/memory", `edit ${number}`, { channel }).answered;
  await at.until("the form", () => JSON.stringify([...workspace.forms.values()].at(-1) ?? "").includes("ousel"));
  const before = at.ephemeralsTo("U0BOB").length;
  people.submit({ text: "the ousel never opens" }, "U0BOB");
  await at.until("why not", () => at.ephemeralsTo("U0BOB").length > before);
  expect(at.ephemeralsTo("U0BOB").at(-1)).toContain("only they and admins may change it");
  expect(textsOf(at)).toContain("the ousel opens at six");
  expect(textsOf(at)).not.toContain("the ousel never opens");
});

test("on Slack another's button takes back nothing of what a run remembered", async () => {
  at.model.script(({ toolResults }) =>
    toolResults.length > 0
      ? text("Done.")
      : toolUse("use_tool", { name: "remember", input: { text: "The crake sleeps on Sundays" } }),
  );
  const talk = at.talk({ text: "keep in mind: the crake sleeps on Sundays", channel: at.channel() });
  await talk.answered(1);
  await untilIdle(at.bot);
  const told = at.ephemeralsTo("U0ANA").length;
  talk.click("details:");
  await at.until("the Details", () => at.ephemeralsTo("U0ANA").length > told);
  const details = at.slack.workspace.ephemerals.at(-1);
  if (details === undefined) throw new Error("no Details");
  const undo = /hook:memory:run_\w+/u.exec(JSON.stringify(details))?.[0] ?? "";
  const before = at.ephemeralsTo("U0BOB").length;
  at.slack.people.clickEphemeral({ ...details, user: "U0BOB" }, undo);
  await at.until("why not", () => at.ephemeralsTo("U0BOB").length > before);
  expect(at.ephemeralsTo("U0BOB").at(-1)).toContain("nothing left of it that you may delete");
  expect(textsOf(at)).toContain("The crake sleeps on Sundays");
});

test("on Discord another's dialog, and a number of a channel that one is not in, change nothing and tell nothing", async () => {
  await using discord = await discordOffice();
  await discord.bot.start();
  const { ana, bob } = discord;
  const general = discord.channel("general");
  const { people, world } = discord.discord;
  const board = world.privateChannel(discord.guild, "board", [ana]);
  const edit = (channel: typeof general, user: typeof ana, value: string) =>
    people.command({ channel, user }, "memory", [
      { type: 1, name: "edit", options: [{ type: 3, name: "number", value }] },
    ]);
  const told = ["the linnet opens at six", "the merger with Linnet closes in March"];
  for (const [index, channel] of [general, board].entries()) {
    const adding = people.command({ channel, user: ana }, "memory", [{ type: 1, name: "add", options: [] }]);
    await discord.until("the dialog", () => adding.modal !== null);
    people.submit({ channel, user: ana }, adding, { text: told[index] ?? "" });
    await discord.until("the memory", () => textsOf(discord).length === index + 1);
  }

  const [editing, hidden] = [edit(general, ana, "1"), edit(board, ana, "2")];
  await discord.until("ana's dialogs", () => editing.modal !== null && hidden.modal !== null);
  const forged = people.submit({ channel: general, user: bob }, editing, { text: "the linnet never opens" });
  await discord.until("why not", () =>
    forged.shown.some(({ content }) => content.includes("only they and admins may change it")),
  );
  const asked = edit(general, bob, "2");
  await discord.until("that there is none", () => asked.shown.some(({ content }) => content.includes("number 2")));
  const sent = people.submit({ channel: general, user: bob }, hidden, { text: "there is no merger" });
  await discord.until("that there is none", () => sent.shown.some(({ content }) => content.includes("number 2")));
  expect(JSON.stringify([asked.shown, sent.shown])).not.toContain("March");
  expect(textsOf(discord)).toEqual(told);
});
