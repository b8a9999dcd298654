import { expect, test } from "vitest";
import { z } from "zod";
import { slackManifest } from "../../src/cli/manifest/slack-manifest.ts";
import { required } from "../contracts/platform-steps.ts";
import { TYPE } from "../support/discord/world.ts";
import { silent, text, toolUse } from "../support/model/model-script.ts";
import { untilIdle } from "../support/program/bot.ts";
import type { SlackMessage } from "../support/slack/slack-model.ts";
import { useBothPlatforms } from "../support/talk/both-platforms.ts";
import { conversationOf, overheard } from "../support/talk/slack-talk.ts";

/** A Discord server that the access settings allow before the bot joins it. */
const QUAY = "1190000000000000001";
/** A role whose members the bot does not serve; it does not serve eve on Slack either. */
const DENIED = "1190000000000000002";
const both = useBothPlatforms({
  settings: ({ id }) => ({
    mode: "agi",
    access: {
      workspaces: [id, QUAY].map((server) => `discord:${server}`),
      deny: ["slack:U0EVE", `discord:role:${DENIED}`],
    },
  }),
});
const inSlack = both.slack;
const inDiscord = both.discord;

test("added to a Slack channel the bot introduces itself once, and its suggested prompts work", async () => {
  const office = inSlack();
  const { slack, model } = office;
  model.script(() => text("Nothing is there yet."));
  slack.people.invite("C0042");
  const greetings = () =>
    slack.workspace.messages.filter(({ channel, threadTs }) => channel === "C0042" && threadTs === null);
  await office.until("the greeting", () => greetings().length > 0);
  const [greeting] = slack.thread("C0042", greetings()[0]?.ts ?? "");
  expect(greeting?.text.split("\n")).toEqual([
    expect.stringMatching(/^I'm Deckhand\./u),
    expect.stringMatching(/^Mention me /u),
    expect.stringMatching(/^Mode \*\*agi\*\*: .*touch nothing outside/u),
    expect.stringMatching(/^There is no admin yet\. .*"slack:U0/u),
  ]);
  expect(greeting?.buttons.map(({ label }) => label)).toEqual(["What can you do here?", "Look around"]);
  const click = (actionId: string) => slack.people.click("C0042", greeting?.ts ?? "", { actionId });
  click("prompt:help");
  await office.until("the help", () => office.ephemeralsTo("U0ANA").some((shown) => shown.includes("/status")));
  click("prompt:look");
  const thread = () => slack.thread("C0042", greeting?.ts ?? "").map((message) => message.text);
  await office.until("the answer", () => thread().some((shown) => shown.includes("Nothing is there yet.")));
  expect(thread()).toContainEqual(expect.stringMatching(/^\*\*ana\*\* asks: What is in this channel's directory\?/u));
  expect(greetings()).toHaveLength(1);
});

test("the first direct message on Slack is answered with a greeting beside the answer", async () => {
  const office = inSlack();
  const { slack, model } = office;
  model.script(() => text("Hello to you."));
  const isGreeting = ({ byBot, threadTs, channel }: SlackMessage) => byBot && channel === "D0001" && threadTs === null;
  const talk = office.talk({ text: "hello", channel: "D0001", bare: true });
  expect(await talk.answered(1)).toBe("Hello to you.");
  await office.until("the greeting", () => slack.workspace.messages.some(isGreeting));
});

test("Slack's home tab shows the person's sessions and jobs; a thread of the assistant pane is a session with a status", async () => {
  const office = inSlack();
  const { slack, model } = office;
  model.script(({ toolResults }) => (toolResults.length > 0 ? text("Looked.") : toolUse("glob", { pattern: "*" })));
  const talk = office.talk({ text: "what is in the logs?" });
  await talk.answered(1);
  talk.mention('/jobs add --name "Daily report" --cron "0 9 * * 1-5" --prompt "report"');
  await office.until("the job", () => office.ephemeralsTo("U0ANA").some((shown) => shown.includes("Daily report")));
  slack.people.openHome();
  const home = () => JSON.stringify(slack.workspace.homes.get("U0ANA") ?? "");
  await office.until("the home tab", () => home().includes("what is in the logs?"));
  expect(home()).toContain(`/client/T0001/${talk.channel}/thread/${talk.channel}-${talk.rootTs}|what is in the logs?>`);
  expect(home()).toContain("*Daily report* · every weekday");
  expect(home()).toContain("prompt:look");
  slack.people.clickHome(/job-pause:\w+/u.exec(home())?.[0] ?? "");
  await office.until("the pause", () => office.ephemeralsTo("U0ANA").some((shown) => shown.includes("is paused")));

  const pane = slack.people.openPane();
  await office.until("the suggestions", () => slack.workspace.suggestions.has(`D0001 ${pane}`));
  await office.talk({ text: "look around", channel: "D0001", threadTs: pane, bare: true }).answered(1);
  const statuses = () => slack.workspace.statuses.get(`D0001 ${pane}`) ?? [];
  await office.until("the status to be taken away", () => statuses().at(-1) === "");
  expect(statuses()[0]).toBe("is working…");
});

test("added to a Discord server the bot introduces itself once; its message menu and a reaction ask about a message", async () => {
  const office = inDiscord();
  const { discord, model, ana, bob } = office;
  const { people, world } = discord;
  model.script(({ lastUserText }) => text(lastUserText.includes("503") ? "A gateway has no backend." : "I see."));
  const welcome = people.addBot("Quay", QUAY);
  const greetings = () => welcome.messages.filter(({ author }) => author.id === world.bot.id);
  await office.until("the greeting", () => greetings().length > 0);
  const [who, how, mode, ...unnamed] = greetings()[0]?.content.split("\n") ?? [];
  expect([who, how, mode]).toEqual([
    expect.stringMatching(/^I'm /u),
    expect.stringMatching(/^Mention me /u),
    expect.stringMatching(/^Mode /u),
  ]);
  // The bot says only once that no admin is named, on whichever platform it introduces itself first.
  const isSaid = JSON.stringify(inSlack().slack.workspace.messages).includes("There is no admin yet");
  expect(unnamed).toHaveLength(isSaid ? 0 : 1);
  expect(greetings()[0]?.components[0]?.components.map(({ label }) => label)).toEqual([
    "What can you do here?",
    "Look around",
  ]);

  const general = office.channel("general");
  const first = people.say({ channel: general, user: bob }, "it answers 503");
  people.menuCommand({ channel: general, user: ana }, "Ask Deckhand about this message", first);
  expect(await office.in(first.id).answered(1)).toBe("A gateway has no backend.");
  const second = people.say({ channel: general, user: bob }, "still 503");
  people.react({ channel: general, user: ana }, second, "🤖");
  expect(await office.in(second.id).answered(1)).toBe("A gateway has no backend.");
  expect(greetings()).toHaveLength(1);
});

test("roles that are not served are refused in Discord's direct messages as well", async () => {
  const office = inDiscord();
  const { people, world } = office.discord;
  const gus = world.user("gus");
  world.join(office.guild, gus, { roles: [DENIED] });
  people.dm(gus, "hello");
  await office.until("the refusal", () =>
    people.shownPrivately(gus).some((shown) => shown.includes("can't use me here")),
  );
  expect(office.model.requests).toHaveLength(0);
});

test("a reaction on a Slack message is answered in its thread, once however often it is delivered", async () => {
  const office = inSlack();
  const { bot, slack, model } = office;
  model.script(({ lastUserText }) => text(lastUserText.includes("503") ? "A gateway has no backend." : "I see."));
  const message = slack.workspace.add({ channel: "C0001", user: "U0BOB", text: "it answers 503" });
  await slack.people.react(message, "robot_face").answered;
  await slack.people.react(message, "robot_face").answered;
  const thread = () => slack.thread("C0001", message.ts).map((each) => each.text);
  await office.until("the answer", () => thread().includes("A gateway has no backend."));
  await untilIdle(bot);
  expect(model.requests).toHaveLength(1);
});

test("Slack's message shortcut is answered in the message's thread, and is refused to people who are not served", async () => {
  const office = inSlack();
  const { bot, slack, model } = office;
  model.script(({ lastUserText }) => text(lastUserText.includes("503") ? "A gateway has no backend." : "I see."));
  const attachments = [{ title: "HighLatency", text: "it answers 503" }];
  const message = slack.workspace.add({ channel: "C0001", user: "U0BOB", text: "", attachments });
  slack.workspace.users.set("U0EVE", { id: "U0EVE", name: "eve" });
  const manifest = z
    .object({ features: z.object({ shortcuts: z.array(z.object({ callback_id: z.string() })) }) })
    .parse(slackManifest([]));
  const ask = (user: string) => slack.people.shortcut(message, manifest.features.shortcuts[0]?.callback_id ?? "", user);
  await ask("U0EVE").answered;
  await office.until("the refusal", () => office.ephemeralsTo("U0EVE").length === 1);
  await ask("U0ANA").answered;
  const thread = () => slack.thread("C0001", message.ts).map((each) => each.text);
  await office.until("the answer", () => thread().includes("A gateway has no backend."));
  await untilIdle(bot);
  expect(model.requests).toHaveLength(1);
});

test("a skill without its argument opens a form on Slack, from the slash command and from a button", async () => {
  const office = inSlack();
  const { slack, model } = office;
  model.script(({ body }) => text(JSON.stringify(body).includes("San Francisco") ? "Foggy there." : "Where?"));
  const { people, workspace } = slack;
  const filled = async () => {
    await office.until("the form", () => workspace.forms.size > 0);
    expect([...workspace.forms.values()].map(({ title, inputs }) => [title, inputs[0]?.block_id])).toEqual([
      ["current-weather", "place"],
    ]);
    await people.submit({ place: "San Francisco" }).answered;
  };
  const answers = () => workspace.messages.filter(({ blocks }) => JSON.stringify(blocks).includes("Foggy there."));
  await people.command("/skill", "current-weather").answered;
  await filled();
  await office.until("the answer", () => answers().length === 1);
  expect(office.ephemeralsTo("U0ANA")).toEqual([]);

  const talk = office.talk({ text: "/skill" });
  const picker = () =>
    workspace.ephemerals.find(({ blocks }) => JSON.stringify(blocks).includes("skill:current-weather"));
  await office.until("the picker", () => picker() !== undefined);
  people.clickEphemeral(picker(), "skill:current-weather");
  await filled();
  await office.until("the second answer", () => answers().length === 2);
  expect(answers().at(-1)?.threadTs).toBe(talk.rootTs);

  // Slack opens no form for text typed in a thread, so a button opens it.
  talk.mention("/skill current-weather");
  const missing = () => workspace.ephemerals.find(({ text: said }) => said.includes("needs place"));
  await office.until("what is missing", () => missing() !== undefined);
  people.clickEphemeral(missing(), "skill:current-weather");
  await filled();
  await office.until("the third answer", () => answers().length === 3);

  // A skill chosen from a slash command's answer begins its own thread, as a typed one does.
  const list = people.command("/skill", "");
  await list.answered;
  const { blocks } = z.object({ blocks: z.array(z.looseObject({ type: z.string() })) }).parse(list.response());
  people.clickEphemeral({ channel: "C0001", threadTs: null, user: "U0ANA", text: "", blocks }, "skill:current-weather");
  await filled();
  await office.until("the fourth answer", () => answers().length === 4);

  // Jobs use the same kind of form: an error appears below its field, and the form stays open.
  talk.mention("/jobs add");
  const offer = () => workspace.ephemerals.find(({ blocks }) => JSON.stringify(blocks).includes('"jobs:add"'));
  await office.until("the offer of a form", () => offer() !== undefined);
  people.clickEphemeral(offer(), "jobs:add");
  await office.until("the form of jobs", () => workspace.forms.size > 0);
  await people.submit({ when: "at noon", prompt: "Look.", agent: "plan", channel: "C0001" }).answered;
  const [form] = workspace.forms.values();
  expect(form?.errors).toEqual({ when: expect.stringContaining("a cron expression has five fields") });
  await people.submit({ when: "0 9 * * *", timezone: "Europe/Paris" }).answered;
  await office.until("the job", () =>
    office.ephemeralsTo("U0ANA").some((said) => said.includes("**Look.** · every day")),
  );
  expect(office.ephemeralsTo("U0ANA").join()).toContain("at 09:00 Europe/Paris\nNext: ");
});

test("a skill without its argument opens a dialog on Discord", async () => {
  const office = inDiscord();
  const { discord, model, ana } = office;
  model.script(({ body }) => text(JSON.stringify(body).includes("San Francisco") ? "Foggy there." : "Where?"));
  const at = { channel: office.channel("general"), user: ana };
  const asked = discord.people.command(at, "skill", [{ type: 3, name: "name", value: "current-weather" }]);
  await asked.answered;
  await office.until("the dialog", () => asked.modal !== null);
  expect(asked.modal?.title).toBe("current-weather");
  discord.people.submit(at, asked, { place: "San Francisco" });
  const said = () =>
    [...discord.world.channels.values()].flatMap(({ messages }) => messages.map(({ content }) => content));
  await office.until("the answer", () => said().some((content) => content.includes("Foggy there.")));

  // A skill chosen from a slash command's answer begins its own thread, as a typed one does.
  const list = discord.people.command(at, "skill");
  await list.answered;
  discord.people.clickShown(at, list, "skill:release-notes");
  const chosen = () => at.channel.messages.find(({ content }) => content.includes("asks: /skill release-notes"));
  await office.until("what was chosen", () => chosen() !== undefined);
  expect(await office.in(chosen()?.id ?? "").answered(2)).toBe("Where?");

  // After a mention, the bot asks for missing arguments in a direct message but does the work in the thread.
  const direct = discord.world.dm(ana);
  const talk = office.mention(at.channel, "/skill current-weather");
  const missing = () => direct.messages.find(({ content }) => content.includes("needs **place**"));
  await office.until("what is missing", () => missing() !== undefined);
  const message = missing();
  const button = message?.components[0]?.components[0]?.custom_id ?? "";
  if (message === undefined) throw new Error("nothing is missing");
  const filling = discord.people.click({ channel: direct, user: ana }, message, button);
  await office.until("the dialog there", () => filling.modal !== null);
  discord.people.submit({ channel: direct, user: ana }, filling, { place: "San Francisco" });
  expect(await talk.answered(2)).toBe("Foggy there.");

  const job = discord.people.command(at, "jobs", [{ type: 1, name: "add", options: [] }]);
  await office.until("the dialog of jobs", () => job.modal !== null);
  const wrong = discord.people.submit(at, job, { when: "@daily", prompt: "Look.", more: "agent: nobody" });
  await office.until("what is wrong", () => wrong.shown.length > 0);
  expect(wrong.shown[0]?.content).toContain("- Agent: There is no agent `nobody`.");
  const again = discord.people.clickShown(at, wrong, `form-again:${wrong.id}`);
  await office.until("the dialog again", () => again.modal !== null);
  const added = discord.people.submit(at, again, { more: "agent: plan" });
  await office.until("the job", () => added.shown.some(({ content }) => content.includes("**Look.** · every day")));
});

test("a mention added by an edit is answered once, also if it is edited again after a restart", async () => {
  const at = inDiscord();
  at.model.script((_request, index) => text(`Answer ${index}.`));
  const { people, world } = at.discord;
  const channel = at.channel("ops");
  const message = people.say({ channel, user: at.ana }, "is it down?");
  const edit = (words: string) => people.edit({ channel }, message, { content: `<@${world.bot.id}> ${words}` });
  edit("is it down?");
  await at.in(message.id).answered(1);
  await untilIdle(at.bot);
  people.unfurl({ channel }, message, [{ type: "link", title: "X" }]);
  edit("is it really down?");
  await untilIdle(at.bot);
  await at.bot.kill("SIGTERM");
  await at.bot.start();
  edit("is it down again?");
  const other = at.mention(channel, "hello");
  await other.answered(1);
  await untilIdle(at.bot);
  expect(at.model.requests.map(({ body }) => conversationOf(body).includes("is it down"))).toEqual([true, false]);
});

test("Slack's own stop button stops the run of its thread, as the bot's does", async () => {
  const office = inSlack();
  const { slack, model } = office;
  model.script(() => silent());
  const before = model.requests.length;
  const talk = office.talk({ text: "dig" });
  await office.until("the request", () => model.requests.length > before);
  slack.people.event({
    type: "agent_session_stopped",
    channel: talk.channel,
    user: "U0ANA",
    thread_ts: talk.rootTs,
    streaming_message_ts: [],
    event_ts: slack.workspace.nextTs(),
  });
  // The stop is shown in the live message, or in place of it if there is none yet.
  const shown = () => [...talk.live().map((message) => message.text), ...talk.answers()];
  await office.until("the stop", () => shown().some((words) => words.startsWith("⏹ Stopped by @ana")));
});

test.each([TYPE.voice, TYPE.stage])(
  "in the text chat of a channel of type %i only mentions and replies to the bot are requests",
  async (type) => {
    const at = inDiscord();
    at.model.script((_request, index) => text(`Answer ${index}.`));
    const channel = at.discord.world.channel(at.guild, "lounge", type);
    const talk = at.in(channel.id);
    const mention = `<@${at.discord.world.bot.id}>`;
    talk.say(`${mention} hello`);
    await talk.answered(1);
    await untilIdle(at.bot);
    talk.say("anyone for lunch?");
    talk.say("and you?", at.ana, { type: 19, repliesTo: required(talk.byBot().at(-1)) });
    await talk.answered(2);
    await untilIdle(at.bot);
    expect(at.model.requests).toHaveLength(2);
    expect(conversationOf(at.model.requests[1]?.body)).toContain(overheard("Ana", "anyone for lunch?"));
  },
);

test("a fork of a private thread is private to its requester; without the permission it is refused", async () => {
  const at = inDiscord();
  at.model.script((_request, index) => text(`Answer ${index}.`));
  const { people, world, faults } = at.discord;
  const channel = at.channel("council");
  const secret = world.privateThread(channel, "secret");
  const talk = at.mention(secret, "remember the heron");
  await talk.answered(1);
  await untilIdle(at.bot);
  faults.withheld.add("Create Private Threads");
  const known = people.shownPrivately(at.ana).length;
  talk.say("/fork");
  await at.until("the refusal", () =>
    people.shownPrivately(at.ana).some((words) => words.includes("`Create Private Threads`")),
  );
  faults.withheld.clear();
  talk.say("/fork");
  await at.until("the fork", () =>
    people
      .shownPrivately(at.ana)
      .slice(known)
      .some((words) => words.startsWith("✓ ")),
  );
  const threads = [...world.channels.values()].filter(({ parent_id }) => parent_id === channel.id);
  expect(threads.map(({ type }) => type)).toEqual([TYPE.privateThread, TYPE.privateThread]);
  expect(channel.messages).toEqual([]);
  const fork = threads.find(({ id }) => id !== secret.id);
  expect([...(fork?.threadMembers ?? [])]).toEqual([at.ana.id]);
  at.in(fork?.id ?? "").say("what was the bird?");
  await at.until("an answer in the fork", () => at.model.requests.length === 2);
  expect(conversationOf(at.model.requests[1]?.body)).toContain("remember the heron");
});
