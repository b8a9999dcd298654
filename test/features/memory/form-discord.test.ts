import { expect, test } from "vitest";
import { discordOffice } from "../../support/talk/discord-office.ts";
import { rowsOf } from "../../support/talk/memory-talk.ts";
import { useStage } from "../../support/talk/shared-office.ts";

const office = useStage(() => discordOffice());

test("on Discord a dialog adds and edits a memory", async () => {
  const opened = office();
  const { discord, ana } = opened;
  const at = { channel: opened.channel("general"), user: ana };
  const before = rowsOf(opened).length;
  const command = (name: string, options: object[] = []) =>
    discord.people.command(at, "memory", [{ type: 1, name, options }]);
  const adding = command("add");
  await opened.until("the dialog", () => adding.modal !== null);
  const refused = discord.people.submit(at, adding, { text: "the password is hunter2hunter2" });
  await opened.until("why not", () => refused.shown.some(({ content }) => content.includes("looks like a password")));
  const again = discord.people.clickShown(at, refused, `form-again:${refused.id}`);
  await opened.until("the dialog again", () => again.modal !== null);
  discord.people.submit(at, again, { text: "the knot flies to Wales" });
  await opened.until("the memory", () => rowsOf(opened).length > before);

  const editing = command("edit", [{ type: 3, name: "number", value: `${before + 1}` }]);
  await opened.until("the dialog of the change", () => editing.modal !== null);
  expect(JSON.stringify(editing.modal)).toContain("the knot flies to Wales");
  discord.people.submit(at, editing, { text: "the knot flies to Iceland" });
  await opened.until("the change", () => rowsOf(opened).at(-1)?.text === "the knot flies to Iceland");
});

test("on Discord another person's dialog, or a number from a channel without membership, changes and reveals nothing", async () => {
  const discord = office();
  const { ana, bob } = discord;
  const before = rowsOf(discord).length;
  const general = discord.channel("general");
  const { people, world } = discord.discord;
  const board = world.privateChannel(discord.guild, "board", [ana, world.bot]);
  const edit = (channel: typeof general, user: typeof ana, value: string) =>
    people.command({ channel, user }, "memory", [
      { type: 1, name: "edit", options: [{ type: 3, name: "number", value }] },
    ]);
  const told = ["the linnet opens at six", "the merger with Linnet closes in March"];
  for (const [index, channel] of [general, board].entries()) {
    const adding = people.command({ channel, user: ana }, "memory", [{ type: 1, name: "add", options: [] }]);
    await discord.until("the dialog", () => adding.modal !== null);
    people.submit({ channel, user: ana }, adding, { text: told[index] ?? "" });
    await discord.until("the memory", () => rowsOf(discord).length === before + index + 1);
  }

  const [first, second] = [`${before + 1}`, `${before + 2}`];
  const [editing, hidden] = [edit(general, ana, first), edit(board, ana, second)];
  await discord.until("ana's dialogs", () => editing.modal !== null && hidden.modal !== null);
  const forged = people.submit({ channel: general, user: bob }, editing, { text: "the linnet never opens" });
  await discord.until("why not", () =>
    forged.shown.some(({ content }) => content.includes("only they and admins can change it")),
  );
  const asked = edit(general, bob, second);
  await discord.until("that there is none", () =>
    asked.shown.some(({ content }) => content.includes(`no memory #${second}`)),
  );
  const sent = people.submit({ channel: general, user: bob }, hidden, { text: "there is no merger" });
  await discord.until("that there is none", () =>
    sent.shown.some(({ content }) => content.includes(`no memory #${second}`)),
  );
  expect(JSON.stringify([asked.shown, sent.shown])).not.toContain("March");
  expect(rowsOf(discord).slice(before)).toMatchObject(told.map((text) => ({ text })));
});
