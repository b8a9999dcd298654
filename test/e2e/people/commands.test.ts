import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { SLACK } from "../../../src/adapters/slack/descriptor.ts";
import { allCommands } from "../../../src/app.ts";
import { PageClient } from "../../adapters/web/page-client.ts";
import { type DiscordServer, startDiscordServer } from "../../support/discord/server.ts";
import type { Channel, User } from "../../support/discord/world.ts";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { ModelServer } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { printedUrl } from "../../support/program/page-visit.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { readableText } from "../../support/slack/slack-blocks.ts";
import { isAbout } from "../../support/slack/slack-private.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

const toolsSchema = z.object({ tools: z.array(z.object({ name: z.string() })).default([]) });
const SEARCH_TOOLS = ["glob", "grep", "read"];
const CHANGING_TOOLS = ["write", "edit", "js_exec"];

/** Names of the tools that the newest request offers to the model. */
function offered(model: ModelServer): string[] {
  return toolsSchema.parse(model.requests.at(-1)?.body).tools.map(({ name }) => name);
}

/** Those of the given tools that the newest request offers to the model. */
function offeredOf(model: ModelServer, names: readonly string[]): string[] {
  return names.filter((name) => offered(model).includes(name));
}

function systemOf(model: ModelServer): string {
  return JSON.stringify(z.object({ system: z.unknown() }).parse(model.requests.at(-1)?.body).system);
}

const ODD_AGENT = "---\ndescription: Has a role that nobody knows\naccess: everything\n---\n\nYou are odd.\n";

let place: Everywhere;
useShared(
  async () => {
    place = await everywhere();
  },
  async () => {
    await place.page.drop();
    await place.slack[Symbol.asyncDispose]();
    await place.discord[Symbol.asyncDispose]();
  },
);
afterAll(() => {
  expect(place.slack.model.violations).toEqual([]);
  expect(place.slack.slack.rateLimited()).toBe(0);
});

/** Private answers to commands, which are the same for every way of giving them. */
const EVERYWHERE: readonly { typed: string; answer: RegExp }[] = [
  {
    typed: "help",
    answer:
      /^(Mention me and say|Tell me) what you want done[\s\S]*Mode \*\*agi\*\*[\s\S]*`\/new` · start a new session here/,
  },
  { typed: "help usage", answer: /^`\/usage \[user\|channel\|model\|job\|day\] \[days\]` · what my work has cost/ },
  { typed: "jobs add --help", answer: /^`\/jobs add` · schedule a job[\s\S]*`--cron`/ },
  { typed: "jobs help", answer: /^`\/jobs list[\s\S]*`\/jobs run` · run a job now/ },
  { typed: "usage 3", answer: /in 3 days \(UTC\) in all/ },
  { typed: "mcp", answer: /^There are no MCP servers here\. An operator adds them/ },
  { typed: "link", answer: /No web page account is linked to you|There is no account to link/ },
  { typed: "sites", answer: /^Publishing is off here\. An operator can change that \(`sites`\)\./ },
  { typed: "status", answer: /There is no session here yet/ },
  { typed: "stop", answer: /Nothing is running in this thread\./ },
  { typed: "agent", answer: /\*\*build\*\* \(answers here\) · Does the work[\s\S]*\*\*plan\*\* · Studies a task/ },
  { typed: "agent pln", answer: /I don't know the agent `pln`\. Did you mean `plan`\?/ },
  { typed: "model", answer: /Model `anthropic\/claude-sonnet-5-5`\.[\s\S]*`anthropic\/claude-haiku-5-5`/ },
  { typed: "mode", answer: /Mode \*\*agi\*\*: I change files and run commands, and rarely ask first\./ },
  { typed: "managed", answer: /Managed mode is \*\*off\*\*/ },
  { typed: "skill", answer: /\*\*code-review\*\* `\[target\]` · Reviews/ },
  { typed: "remember", answer: /Tell me what: `\/remember we deploy on Thursdays`/ },
  { typed: "memory", answer: /I remember nothing here\. Try `\/memory add we deploy on Thursdays`/ },
  { typed: "data", answer: /\*\*?What I store about you\*?\*[\s\S]*`\/data delete me` deletes it/ },
  { typed: "compact", answer: /nothing to summarise/ },
  { typed: "new", answer: /nothing to leave behind/ },
  { typed: "fork", answer: /nothing to fork/ },
  { typed: "undo", answer: /nothing to undo/ },
  { typed: "approvals", answer: /Nothing is waiting for a decision here\.[\s\S]*I remember no approvals here/ },
  { typed: "jobs", answer: /no jobs/i },
  { typed: "tools", answer: /Agent \*\*build\*\* \(full\), mode \*\*agi\*\*[\s\S]*edit +write +yes +built in/ },
  { typed: "usage", answer: /\*\*\$\d+\.\d+\*\* in 7 days \(UTC\) in all/ },
  { typed: 'usage --days "1', answer: /The quote that starts at `"1` is never closed/ },
  { typed: "export", answer: /nothing to export/ },
  { typed: "hlep", answer: /I don't know `\/hlep`\. Did you mean `\/help`\?/ },
];

/** What Discord suggests first while somebody types an option of a command. */
const TYPED: readonly { command: string; option: string; typed: string; offered: readonly string[] }[] = [
  { command: "skill", option: "name", typed: "", offered: ["code-review", "css-refactor-advisor"] },
  { command: "skill", option: "name", typed: "weath", offered: ["weather-forecast", "current-weather"] },
  { command: "skill", option: "name", typed: "blameless", offered: ["incident-report"] },
  { command: "skill", option: "arguments", typed: "x", offered: [] },
  { command: "agent", option: "name", typed: "PL", offered: ["plan"] },
  { command: "model", option: "model", typed: "haiku-4", offered: ["anthropic/claude-haiku-4-5"] },
  { command: "managed", option: "preset", typed: "c", offered: ["careful", "cheap"] },
  { command: "help", option: "command", typed: "sk", offered: ["skill"] },
  { command: "jobs", option: "add timezone", typed: "par", offered: ["America/Paramaribo", "Europe/Paris"] },
  { command: "jobs", option: "add skill", typed: "rel", offered: ["release-notes"] },
  { command: "jobs", option: "run job", typed: "", offered: [] },
  { command: "nothing", option: "name", typed: "", offered: [] },
];

/** One program on Slack, Discord and the page, and people to use it. */
interface Everywhere {
  readonly slack: SlackOffice;
  readonly discord: DiscordServer;
  /**
   * Somebody who has written nothing yet, in a channel of their own, because the bot paces its messages to each on
   * Discord.
   */
  readonly newcomer: () => { readonly channel: Channel; readonly user: User };
  readonly page: PageClient;
  /** Somebody who only requests completions. */
  readonly typist: { readonly channel: Channel; readonly user: User };
}

async function everywhere(): Promise<Everywhere> {
  const discord = await startDiscordServer();
  const { world } = discord;
  const guild = world.guild("Harbour");
  const newcomers = [...EVERYWHERE, ...EVERYWHERE, null].map((_row, index) => {
    const user = world.user(`person-${index}`);
    world.join(guild, user);
    return { channel: world.channel(guild, `c-${index}`), user };
  });
  const env = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
  const slack = await slackOffice({ settings: { mode: "agi" }, env });
  const agents = path.join(slack.bot.home, "data/extensions/agents");
  mkdirSync(agents, { recursive: true });
  writeFileSync(path.join(agents, "odd.md"), ODD_AGENT);
  await slack.bot.start();
  const page = await PageClient.open(printedUrl(slack.bot));
  await page.hello();
  const newcomer = () => {
    const next = newcomers.shift();
    if (next === undefined) throw new Error("nobody is left");
    return next;
  };
  return { slack, discord, newcomer, page, typist: newcomer() };
}

interface Given {
  readonly typed: string;
  readonly name: string;
  readonly args: string;
}

/** Each way of giving a command; resolves to the answer that only its sender sees. */
const WAYS: Readonly<Record<string, (given: Given, place: Everywhere) => Promise<string>>> = {
  "a mention in a thread on Slack": async ({ typed }, { slack }) => {
    const talk = slack.talk({ text: "people among themselves", channel: slack.channel(), bare: true });
    talk.mention(`/${typed}`);
    const answer = () => slack.slack.workspace.ephemerals.find((shown) => isAbout(shown, talk));
    await slack.until("the answer to a mention on Slack", () => answer() !== undefined);
    const shown = answer();
    return shown === undefined ? "" : readableText(shown);
  },
  "a slash command on Slack": async ({ name, args }, { slack }) => {
    const delivery = slack.slack.people.command(`/${SLACK.slashName(name)}`, args, { channel: slack.channel() });
    await delivery.answered;
    const { blocks } = z
      .object({ blocks: z.array(z.object({ text: z.string().optional() })) })
      .parse(delivery.response());
    return blocks.flatMap(({ text: said }) => said ?? []).join("\n");
  },
  "a slash command on Discord": async ({ name, args }, { discord, newcomer }) => {
    const options = args === "" ? [] : [{ name: "args", type: 3, value: args }];
    const interaction = discord.people.command(newcomer(), name, options);
    await interaction.answered;
    return interaction.shown.map(({ content }) => content).join("\n");
  },
  "a mention on Discord": async ({ typed }, { discord, newcomer, slack }) => {
    const { people, world } = discord;
    const at = newcomer();
    people.say(at, `<@${world.bot.id}> /${typed}`);
    await slack.until("the answer on Discord", () => people.shownPrivately(at.user).length > 0);
    return people.shownPrivately(at.user).join("\n");
  },
  "words on the page": async ({ typed }, { page }) => {
    const threadId = await page.send(`/${typed}`);
    const messages = (await page.thread(threadId)) ?? [];
    return messages.flatMap(({ body }) => (body.by === "note" ? [body.markdown] : [])).join("\n");
  },
  "a command beside a thread of the page": async ({ name, args }, { page }) => {
    const [thread] = await page.threads();
    const clickId = randomUUID();
    page.say({ type: "command", clickId, threadId: thread?.id ?? "", name, args });
    return (await page.next("reply", (frame) => frame.clickId === clickId)).body.markdown;
  },
};

describe("commands read the same everywhere:", () => {
  test("every command is in the table", () => {
    const names = new Set(EVERYWHERE.map(({ typed }) => typed.split(" ")[0] ?? ""));
    expect(
      allCommands()
        .map(({ name }) => name)
        .filter((name) => !names.has(name)),
    ).toEqual([]);
  });

  test.each(EVERYWHERE)("/$typed", async ({ typed, answer }) => {
    const [, name = "", args = ""] = /^(\S+)\s*(.*)$/u.exec(typed) ?? [];
    for (const [way, give] of Object.entries(WAYS))
      expect(await give({ typed, name, args }, place), way).toMatch(answer);
  });

  test.each(TYPED)("Discord offers $offered for “$typed” in /$command $option", async (row) => {
    const { command, option, typed, offered } = row;
    const [name = "", inner] = option.split(" ");
    const focused = { name: inner ?? name, type: 3, value: typed, focused: true };
    const options = [inner === undefined ? focused : { name, type: 1, options: [focused] }];
    const interaction = place.discord.people.type(place.typist, command, options);
    await interaction.answered;
    expect((interaction.choices ?? []).slice(0, offered.length).map(({ value }) => value)).toEqual(offered);
  });

  test("Discord and the page know them all", async () => {
    const named = z.array(z.object({ name: z.string() }));
    const all = allCommands().map(({ name }) => name);
    const registered = named.parse([...place.discord.api.commands.values()][0]).map(({ name }) => name);
    expect(registered).toEqual(expect.arrayContaining(all));
    expect((await place.page.hello()).commands.map(({ name }) => name)).toEqual(all);
  });
});

describe("on Slack", () => {
  let office: SlackOffice;
  beforeEach(() => {
    office = place.slack;
    office.slack.workspace.ephemerals.length = 0;
  });
  const told = (count: number) => office.until("a private answer", () => office.ephemeralsTo("U0ANA").length >= count);
  /** Mentions the bot with these words in a thread and resolves to its private answer. */
  const asks = async (talk: ReturnType<SlackOffice["talk"]>, words: string) => {
    const known = office.ephemeralsTo("U0ANA").length;
    talk.mention(words);
    await told(known + 1);
    return office.ephemeralsTo("U0ANA").at(-1) ?? "";
  };

  test("@plan write x: no tool that writes is offered, a call of one is refused, and no file comes to be", async () => {
    const write = toolUse("write", { path: "x.txt", content: "x" });
    const gate = hold();
    office.model.script((_request, index) => (index === 0 ? write : [gate.part, text("1. Write x.")]));
    const talk = office.talk({ text: "@plan write x", channel: office.channel() });
    await talk.shows(/\*\*plan\*\*/);
    gate.release();
    expect(await talk.answered(1)).toContain("1. Write x.");
    expect(systemOf(office.model)).toContain("You are plan");
    expect(offeredOf(office.model, SEARCH_TOOLS)).toEqual(SEARCH_TOOLS);
    expect(offeredOf(office.model, CHANGING_TOOLS)).toEqual([]);
    expect(office.model.requests.at(-1)?.toolResults.map(({ isError }) => isError)).toEqual([true]);
    expect(existsSync(path.join(office.bot.sandboxRoot(`slack-${talk.channel}`), "x.txt"))).toBe(false);
    await told(1);
    expect(office.ephemeralsTo("U0ANA").at(-1)).toContain("**plan** answers in this thread from now on.");

    await untilIdle(office.bot);
    expect(await asks(talk, "/agent build")).toContain("**build** answers in this thread from now on.");
    office.model.script(() => text("Done."));
    talk.say("and now write it");
    await talk.answered(2);
    expect(offered(office.model)).toContain("write");
  });

  test("@explore only searches", async () => {
    office.model.script(() => text("Found."));
    const talk = office.talk({ text: "@explore where is it?", channel: office.channel() });
    await talk.answered(1);
    expect(systemOf(office.model)).toContain("You are explore");
    expect(offered(office.model).filter((name) => name !== "web_fetch")).toEqual(SEARCH_TOOLS);
  });

  test("an agent with a bogus access role gets no tool, and the start has said so", async () => {
    office.model.script(() => text("I have no tools."));
    const talk = office.talk({ text: "@odd do something", channel: office.channel() });
    await talk.answered(1);
    expect(systemOf(office.model)).toContain("You are odd");
    expect(offered(office.model)).toEqual([]);
    expect(office.bot.output()).toMatch(/⚠ \S+odd\.md:3: access: "everything" is not an access role/);
  });

  test("/mode read takes the tools that change things away, from the next run on", async () => {
    office.model.script(() => text("Answered."));
    const talk = office.talk({ text: "begin", channel: office.channel() });
    await talk.answered(1);
    expect(offered(office.model)).toContain("edit");
    expect(await asks(talk, "/mode read")).toContain("✓ Mode **read** in this thread: I only look and change nothing.");
    talk.say("edit it");
    await talk.answered(2);
    expect(offeredOf(office.model, CHANGING_TOOLS)).toEqual([]);
    expect(offeredOf(office.model, SEARCH_TOOLS)).toEqual(SEARCH_TOOLS);
  });

  test("/model sets who answers in the thread, once the name is a model's", async () => {
    office.model.script(() => text("Answered."));
    const talk = office.talk({ text: "begin", channel: office.channel() });
    await talk.answered(1);
    expect(await asks(talk, "/model")).toContain("Model `anthropic/claude-sonnet-5-5`.");
    expect(await asks(talk, "/model nowhere/x")).toBe("I cannot use `nowhere/x`: no provider is called nowhere.");
    expect(await asks(talk, "/model claude-haiku-5-5")).toContain(
      "✓ Model `anthropic/claude-haiku-5-5` in this thread.",
    );
    await untilIdle(office.bot);
    talk.say("again");
    await talk.answered(2);
    expect(office.model.requests.at(-1)?.body).toMatchObject({ model: "claude-haiku-5-5" });
  });

  test("/export gives the session as a Markdown file, to its person alone", async () => {
    const look = [toolUse("read", { path: "a.txt" }), toolUse("grep", { pattern: "port" })];
    office.model.script(({ toolResults }) => (toolResults.length === 0 ? look : text("The answer.")));
    const talk = office.talk({ text: "the question", channel: office.channel() });
    await talk.answered(1);
    expect(await asks(talk, "/export")).toContain("✓ The whole session: 4 messages.");
    const { messages, files } = office.slack.workspace;
    await office.until("the file", () =>
      messages.some((message) => message.files.some(({ name }) => name.endsWith(".md"))),
    );
    const file = [...files.values()].find(({ name }) => name.endsWith(".md"));
    const markdown = Buffer.from(file?.data ?? []).toString();
    expect(markdown).toMatch(/^# Session ses_\S+ · agent build\n\n## ana · [\d -:]+ UTC\n\nthe question\n\n## agent/u);
    expect(markdown).toContain("✓ read 1 file, searched 1 pattern: `a.txt`, `port`");
  });

  test("a path is no command, and neither are words that only begin like one", async () => {
    office.model.script(() => text("Answered."));
    for (const words of ["/etc/hosts is broken", "/tmp is full"]) {
      const talk = office.talk({ text: words, channel: office.channel() });
      await talk.answered(1);
      expect(office.requestsAbout(words)).toHaveLength(1);
    }
  });

  test("a slash command with something to do begins a thread that everyone can follow", async () => {
    office.model.script(() => text("1. Look."));
    const channel = office.channel();
    office.slack.workspace.channel(channel);
    await office.slack.people.command("/agent", "plan the move", { channel }).answered;
    const root = () => office.slack.workspace.messages.find((message) => message.channel === channel);
    const thread = () => office.slack.thread(channel, root()?.ts ?? "").map((message) => message.text);
    await office.until("the answer", () => thread().slice(1).join().includes("1. Look."));
    expect(thread()[0]).toBe("**ana** asks **plan**: the move");
  });
});
