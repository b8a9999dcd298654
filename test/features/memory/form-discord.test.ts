import { expect, test } from "vitest";
import { discordOffice } from "../../support/talk/discord-office.ts";
import { rowsOf } from "../../support/talk/memory-talk.ts";

test("on Discord a dialog adds and changes a memory", async () => {
  await using office = await discordOffice();
  await office.bot.start();
  const { discord, ana } = office;
  const at = { channel: office.channel("general"), user: ana };
  const command = (name: string, options: object[] = []) =>
    discord.people.command(at, "memory", [{ type: 1, name, options }]);
  const adding = command("add");
  await office.until("the dialog", () => adding.modal !== null);
  const refused = discord.people.submit(at, adding, { text: "the password is hunter2hunter2" });
  await office.until("why not", () => refused.shown.some(({ content }) => content.includes("looks like a password")));
  const again = discord.people.clickShown(at, refused, `form-again:${refused.id}`);
  await office.until("the dialog again", () => again.modal !== null);
  discord.people.submit(at, again, { text: "the knot flies to Wales" });
  await office.until("the memory", () => rowsOf(office).length > 0);

  const editing = command("edit", [{ type: 3, name: "number", value: "1" }]);
  await office.until("the dialog of the change", () => editing.modal !== null);
  expect(JSON.stringify(editing.modal)).toContain("the knot flies to Wales");
  discord.people.submit(at, editing, { text: "the knot flies to Iceland" });
  await office.until("the change", () => rowsOf(office).at(-1)?.text === "the knot flies to Iceland");
});
