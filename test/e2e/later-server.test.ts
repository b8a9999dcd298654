import { expect, test } from "vitest";
import { text } from "../support/model/model-script.ts";
import { discordOffice } from "../support/talk/discord-office.ts";

test("a server that the bot is added to later gets one line and no model", async () => {
  await using office = await discordOffice();
  office.model.script(() => text("Here."));
  await office.bot.start();
  const home = office.mention(office.channel("ops"), "are you there?");
  await home.answered(1);

  const { world, people } = office.discord;
  const requests = office.model.requests.length;
  const far = people.addBot("Quay");
  const quay = world.guildOf(far);
  if (quay === undefined) throw new Error("there is a server");
  world.join(quay, office.bob);
  office.mention(far, "and here?", { by: office.bob });
  const told = () => [...world.channels.values()].flatMap(({ messages }) => messages.map(({ content }) => content));
  await office.until("the line", () => told().some((each) => each.includes(`discord:${quay.id}`)));
  expect(office.model.requests).toHaveLength(requests);
  expect(
    told().filter((each) => each.includes("I'm Deckhand")),
    "no greeting there",
  ).toHaveLength(0);
});
