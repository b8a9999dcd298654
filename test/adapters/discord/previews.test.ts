import { expect, test } from "vitest";
import { DM_WORKSPACE } from "../../../src/adapters/discord/channels.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { openHarbour } from "../../support/discord/harness.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { file } from "./message/samples.ts";

const { signal } = new AbortController();

test("link previews that Discord adds after the message are awaited and read", async () => {
  await using harbour = await openHarbour();
  const { server, general, ana, botMention } = harbour;
  const clock = new ManualClock(Date.now());
  const adapter = harbour.adapter({ clock });
  const inbox = new Inbox();
  await adapter.start(inbox.receive, signal);
  const said = server.people.say({ channel: general, user: ana }, `${botMention} what of https://x.example/7?`);
  const event = await inbox.nextMessage();
  expect(event.quoted).toEqual([]);
  const previews = adapter.previews?.({ ...event, at: clock.now(), author: event.person }, signal);
  const embed = { type: "article", url: "https://x.example/7", title: "Pool", description: "It is dry." };
  server.people.unfurl({ channel: general }, said, [embed, { type: "image", image: { url: file("x.png").url } }]);
  await clock.advance(1_500);
  expect(await previews).toMatchObject({
    quoted: ["Pool\nhttps://x.example/7\nIt is dry.", "[image: x.png]"],
    attachments: [{ name: "x.png" }],
  });
});

test("a linked message is quoted, but only for people who may read it", async () => {
  await using harbour = await openHarbour();
  const { server, guild, general, ana, bob } = harbour;
  const { world } = server;
  world.join(guild, bob, { nick: "Captain" });
  const alerts = world.channel(guild, "alerts");
  const few = world.privateChannel(guild, "few", [ana, bob, world.bot]);
  const bobs = world.privateChannel(guild, "bobs", [bob, world.bot]);
  const quay = world.guild("Quay");
  const far = world.channel(quay, "far");
  const adapter = harbour.adapter();
  await adapter.start(new Inbox().receive, signal);
  const files = [{ id: world.nextId(), name: "df.txt", mediaType: "text/plain", data: new Uint8Array(3) }];
  const embeds = [{ type: "rich", title: "Disk full", description: `on call: <@${bob.id}>` }];
  const alert = world.message(alerts, world.user("Grafana", { bot: true }), { files, extra: { embeds } });
  const linked = async (channel: { id: string }, message: { id: string }, thread: object) => {
    const at = channel === far && "workspaceId" in thread ? quay.id : guild.id;
    const text = `see https://ptb.discord.com/channels/${at}/${channel.id}/${message.id}, please`;
    const asking = { platform: "discord", workspaceId: guild.id, channelId: general.id, threadId: null, ...thread };
    return adapter.previews?.(
      { text, thread: asking, messageId: "1", at: 0, author: { id: `discord:${ana.id}` } },
      signal,
    );
  };
  expect(await linked(alerts, alert, {})).toMatchObject({
    quoted: [
      expect.stringMatching(
        /^In #alerts, Grafana wrote, \S+ \S+ UTC: Disk full\non call: @Captain\n\[file: df.txt\]$/u,
      ),
    ],
    attachments: [{ name: "df.txt" }],
  });
  const secret = world.message(few, bob, { content: "the plan" });
  const quoted = [expect.stringMatching(/^In #few, Bob wrote, \S+ \S+ UTC: the plan$/u)];
  expect(await linked(few, secret, {}), "from a private channel").toMatchObject({ quoted: [] });
  expect(await linked(few, secret, { channelId: few.id }), "within it").toMatchObject({ quoted });
  const direct = { workspaceId: DM_WORKSPACE.id, channelId: world.dm(ana).id };
  expect(await linked(few, secret, direct), "asked in private").toMatchObject({ quoted });
  const hidden = world.message(bobs, bob, { content: "mine" });
  expect(await linked(bobs, hidden, direct), "of a channel that she is not in").toMatchObject({ quoted: [] });
  const other = world.message(far, bob, { content: "over there" });
  expect(await linked(far, other, {}), "said to be of this server").toMatchObject({ quoted: [] });
  expect(await linked(far, other, direct), "of a server that she is not on").toMatchObject({ quoted: [] });
  expect(await linked(alerts, { id: "5" }, {}), "of a message that is gone").toMatchObject({ quoted: [] });
});
