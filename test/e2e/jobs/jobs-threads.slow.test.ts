import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { MessageType } from "discord.js";
import { expect, test } from "vitest";
import { silentServer } from "../../features/mcp/http-server.ts";
import { hold, type Reply, text, toolUse, unauthorized } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { systemOf } from "../../support/model/request-parts.ts";
import { until } from "../../support/program/bot.ts";
import { freePort } from "../../support/program/free-port.ts";
import {
  addJob,
  ask,
  askUntil,
  below,
  reportOf,
  reports,
  reportsUntil,
  type SlackScene,
  saidBelow,
  shown,
  useJobScene,
} from "../../support/talk/job-scene.ts";
import { putFile } from "../../support/talk/scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";
import { background, isPart, part } from "../../support/talk/sub-agent-talk.ts";

const [ASKING, TIDYING] = [901, 902];
/** Channel of the job with this index in the test of time limits; the fifth job's channel asks for approvals. */
const timedOutIn = (index: number) => `C080${index + 2}`;
const writing = Object.fromEntries(["C0901", "C0902", timedOutIn(4)].map((id) => [`slack:${id}`, { mode: "write" }]));
/** Port on which an MCP server over HTTP starts listening during the tests. */
const port = await freePort();
const { scene: stage, discord } = useJobScene({
  mode: "agi",
  approvals: { expiresMinutes: 7 },
  channels: writing,
  mcpServers: { slow: { url: `http://127.0.0.1:${port}/mcp` } },
});

/** Longer than any test: work that should be cut off does not end by itself before. In seconds. */
const FOREVER_S = 600;
/** A running shell appends so often that a file unchanged for this long has no writer. In milliseconds. */
const STILL_MS = 1_500;

/** Appends to a file five times a second, as a sign of life. */
const beating = toolUse("bash", {
  command: "while true; do echo beat >> beats.txt; sleep 0.2; done",
  timeout: FOREVER_S,
});

interface Case {
  readonly name: string;
  /** What the model answers in the job's run and in its sub-agent. */
  readonly run: (request: RecordedRequest) => Reply;
  readonly child?: (request: RecordedRequest) => Reply;
  readonly flags?: string;
}

// This test is the first one because the program checks for an absent server less and less often.
test("a run that exceeds its time ends with its shell, MCP call, sub-agents and pending approvals", async () => {
  const scene = stage();
  const slow = await silentServer(port);
  const silent = () => [text("I think"), hold().part];
  const cases: readonly Case[] = [
    { name: "Shell", run: () => beating },
    { name: "Server", run: () => toolUse("mcp__slow__go", {}) },
    { name: "Thinker", run: () => part("Thinker"), child: silent },
    { name: "Worker", run: () => part("Worker"), child: () => beating },
    {
      name: "Asker",
      run: () => part("Asker"),
      child: () => toolUse("bash", { command: "rm -r figures" }),
      flags: "--mode write",
    },
    {
      name: "Beside",
      run: ({ toolResults }) => (toolResults.length === 0 ? part("Beside", background) : silent()),
      child: silent,
    },
  ];
  const ends: Promise<"complete" | "aborted">[] = [];
  scene.model.script((request) => {
    ends.push(request.ended);
    const child = cases.find(({ name }) => isPart(request, name));
    if (child?.child !== undefined) return child.child(request);
    const own = cases.find(({ name }) => JSON.stringify(request.body).includes(`Do as ${name} does.`));
    return own?.run(request) ?? text("Nobody asked.");
  });
  const serverSees = (wanted: string) => () => slow.seen.some(({ method }) => method === wanted);
  await until(serverSees("tools/list"), limit(scene, "the server's tools"));
  for (const [index, { name, flags = "--mode agi" }] of cases.entries()) {
    const words = `--name ${name} --cron "0 0 1 1 *" --timeout 30 --prompt "Do as ${name} does." ${flags}`;
    await addJob(scene, words, timedOutIn(index));
  }
  for (const { name } of cases) await ask(scene, `/jobs run ${name}`);
  await until(serverSees("tools/call"), limit(scene, "the server's call"));

  const lineOf = (index: number) =>
    reports(scene, timedOutIn(index))
      .flatMap((post) => [shown(scene, post), ...below(scene, post).map((reply) => reply.text)])
      .find((line) => line.includes("timed out, stopped by its time limit of 30 s"));
  for (const [index, { name }] of cases.entries()) {
    await until(() => lineOf(index) !== undefined, limit(scene, `the line of ${name}`));
    expect(lineOf(index)).toContain(`✗ **${name}**`);
  }
  expect(slow.seen.map(({ method }) => method)).toContain("notifications/cancelled");
  for (const index of [0, 3]) {
    const beats = path.join(scene.bot.sandboxRoot(`slack-${timedOutIn(index)}`), "beats.txt");
    expect(existsSync(beats)).toBe(true);
    await until(() => Date.now() - statSync(beats).mtimeMs > STILL_MS, limit(scene, `${beats} to grow no more`));
  }
  // Cut-off model calls: Thinker's sub-agent, Beside's run and its sub-agent.
  const cut = (await Promise.all(ends)).filter((end) => end === "aborted");
  expect(cut).toHaveLength(3);
  const [card] = reports(scene, timedOutIn(4));
  expect(card?.blocks).toBeDefined();
  expect(JSON.stringify(card?.blocks)).not.toContain("approve:y");
  for (const { name } of cases) await askUntil(scene, `/jobs logs ${name}`, "✗ timed out");
});

function limit(scene: SlackScene, what: string) {
  return { what: () => `${what}; the bot said:\n${scene.bot.output()}` };
}

test("files of a run are posted with the report in its thread", async () => {
  const scene = stage();
  putFile(scene, "figures.csv", "port,9090\n");
  let before = -1;
  scene.model.script((_request, index) => {
    if (index === 0) return toolUse("attach", { path: "figures.csv", comment: "The figures." });
    before = reports(scene).length;
    return text("All is quiet.");
  });
  await addJob(scene, '--name "Figures" --at "in 1 s" --prompt "Send the figures."');
  const report = await reportOf(scene);
  await saidBelow(scene, report, "The figures.");
  const files = () => below(scene, report).flatMap((message) => message.files.map(({ name }) => name));
  await until(() => files().length > 0, { what: () => scene.bot.output() });
  expect(before).toBe(0);
  expect(shown(scene, report)).toContain("All is quiet.");
  expect(files()).toEqual(["figures.csv"]);
  expect(reports(scene)).toHaveLength(1);
});

test("an approval of a job's run is requested in the channel, and the report follows in the same thread", async () => {
  const scene = stage(ASKING);
  scene.model.script((request, index) => {
    if (index === 0) return toolUse("write", { path: "notes.txt", content: "quiet" });
    return text(`Written: ${request.toolResults.length}.`);
  });
  await addJob(scene, '--name "Notes" --mode write --at "in 1 s" --prompt "Write the notes."');
  const card = await reportOf(scene);
  expect(shown(scene, card)).toContain("**Notes** needs a decision before it can continue.");
  expect(shown(scene, card)).toContain("expires in 7 min");
  const button = (verb: string) =>
    scene.slack.thread(card.channel, card.ts)[0]?.buttons.find(({ id }) => id.startsWith(verb))?.id ?? "";
  await scene.slack.people.click(card.channel, card.ts, { actionId: button("approve:y:"), user: "U0BOB" }).answered;
  expect(scene.model.requests).toHaveLength(1);
  await scene.slack.people.click(card.channel, card.ts, { actionId: button("approve:y:") }).answered;
  await saidBelow(scene, card, "Written: 1.");
  expect(reports(scene)).toHaveLength(1);
  scene.slack.people.say({ text: "Really?", channel: card.channel, threadTs: card.ts });
  await saidBelow(scene, card, "Written: 0.");
});

test("messages during a job's run wait for their own run, to which the job's granted tools do not apply", async () => {
  const scene = stage(TIDYING);
  const tidy = putFile(scene, "tidy.txt", "x");
  scene.model.script(({ body, toolResults }) => {
    const conversation = conversationOf(body);
    if (conversation.includes("rm tidy.txt")) return text("Removed.");
    if (conversation.includes("remove tidy.txt")) return toolUse("bash", { command: "rm tidy.txt" });
    return toolResults.length > 0 ? text("Tidied.") : toolUse("write", { path: "a.txt", content: "a" });
  });
  await addJob(scene, '--name "Tidy" --mode write --tools bash --at "in 1 s" --prompt "Tidy up."');
  const card = await reportOf(scene);
  const said = { text: "and remove tidy.txt", channel: card.channel, threadTs: card.ts, user: "U0BOB" };
  await scene.slack.people.mention(said).answered;
  const cards = () =>
    scene.slack.thread(card.channel, card.ts).flatMap(({ ts, text: words, buttons }) => {
      const { id } = buttons.find((button) => button.id.startsWith("approve:y:")) ?? {};
      return id === undefined ? [] : [{ ts, words, id }];
    });
  const [first] = cards();
  await scene.slack.people.click(card.channel, card.ts, { actionId: first?.id ?? "" }).answered;
  const isRemoved = () => below(scene, card).some(({ text: words }) => words.includes("Removed."));
  await until(() => isRemoved() || cards().some(({ ts }) => ts !== card.ts), { what: () => scene.bot.output() });
  expect(cards().at(-1)?.words).toMatch(/asked by @bob[^]*rm tidy\.txt/u);
  expect(existsSync(tidy)).toBe(true);
  expect(conversationOf(scene.model.requests[1]?.body)).not.toContain("remove tidy.txt");
});

test("a reply that arrives before the post is confirmed belongs to the report's session", async () => {
  const scene = stage();
  scene.model.script((_request, index) => text(index === 0 ? "All is quiet." : "As I said."));
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  scene.slack.faults.add("chat.postMessage", { kind: "slow", until: told });
  await addJob(scene, '--name "Watch" --at "in 1 s" --prompt "Look."');
  const report = await reportOf(scene);
  scene.slack.people.say({ text: "Really?", channel: report.channel, threadTs: report.ts });
  // Once the bot has answered this later event, it has received the reply but still waits for the response to its post.
  await ask(scene, "/help");
  tell();
  await saidBelow(scene, report, "As I said.");
  expect(JSON.stringify(scene.model.requests[1]?.body)).toContain("All is quiet.");
});

test("a failure's message offers details", async () => {
  const scene = stage();
  scene.model.script((_request, index) => (index === 0 ? toolUse("glob", { pattern: "*.nothing" }) : unauthorized()));
  await addJob(scene, '--name "Locked" --at "in 1 s" --prompt "Look."');
  const line = await reportOf(scene);
  const { buttons } = scene.slack.thread(line.channel, line.ts)[0] ?? { buttons: [] };
  expect(buttons.map(({ label }) => label)).toEqual(["Details", "Run now", "Pause"]);
  const before = scene.slack.workspace.ephemerals.length;
  await scene.slack.people.click(line.channel, line.ts, { actionId: buttons[0]?.id ?? "" }).answered;
  const details = () => scene.slack.workspace.ephemerals.slice(before).map((ephemeral) => ephemeral.text);
  await until(() => details().length > 0, { what: () => scene.bot.output() });
  expect(details().join()).toContain("glob");
});

test("a job runs with its agent, its skill and its model, and not at all when one is gone", async () => {
  const scene = stage();
  const skill = path.join(scene.bot.sandboxRoot(scene.folder), "extensions/skills/night-watch");
  mkdirSync(skill, { recursive: true });
  const words = "---\nname: night-watch\ndescription: Watches.\n---\nCount the lanterns.\n";
  writeFileSync(path.join(skill, "SKILL.md"), words);
  scene.model.script(() => text("All is quiet."));
  expect(await ask(scene, '/jobs add --cron "@daily" --prompt x --skill night-wach')).toContain("There is no skill");
  const how = "--skill night-watch --agent plan --model anthropic/claude-haiku-4-5";
  await addJob(scene, `--name "Lanterns" --cron "0 0 1 1 *" ${how} --prompt "Look."`);
  await ask(scene, "/jobs run Lanterns");
  await reportOf(scene);
  const [request] = scene.model.requests;
  expect(request?.body).toMatchObject({ model: "claude-haiku-4-5" });
  expect(systemOf(request?.body)).toContain("You are plan");
  expect(systemOf(request?.body)).toContain("Count the lanterns.");
  const gone = '--pause-after 2 --cron "0 0 1 1 *" --prompt "Look." --name "Gone" --model';
  expect(await ask(scene, `/jobs add ${gone} nowhere/gone-1`)).toContain("no provider is called nowhere");
  await addJob(scene, `${gone} anthropic/claude-haiku-4-5`);
  // As if an operator had removed the job's provider in the meantime.
  const database = new BetterSqlite3(path.join(scene.bot.home, "data/deckhand.db"));
  database.exec(`UPDATE "Job" SET "model" = 'nowhere/gone-1' WHERE "name" = 'Gone'`);
  database.close();
  for (const [count, then] of ["Next try", "⏸ Paused after 2 failures in a row"].entries()) {
    await ask(scene, "/jobs run Gone");
    const failure = (await reportsUntil(scene, count + 2)).at(-1);
    const line = failure === undefined ? "" : shown(scene, failure);
    expect(line).toContain("✗ **Gone** · I cannot use `nowhere`");
    expect(line).toContain("Use `/jobs edit` with `--model` to choose another one.");
    expect(line).toContain(then);
    await askUntil(scene, "/jobs logs Gone", "✗ failed");
  }
  await askUntil(scene, "/jobs list", "paused: It failed 2 times in a row.");
  expect(scene.model.requests).toHaveLength(1);
  writeFileSync(path.join(skill, "SKILL.md"), words.replace("name: night-watch", "name: day-watch"));
  expect(await ask(scene, "/jobs run Lanterns")).toContain("The skill `night-watch` no longer exists.");
});

test("a report pings nobody, whatever the model writes", async () => {
  const scene = stage();
  scene.model.script(() => text("<!channel> <@U0BOB> @everyone <!here> look at https://example.com/secret"));
  await addJob(scene, '--name "Loud" --at "in 1 s" --prompt "Shout."');
  expect(shown(scene, await reportOf(scene))).toContain("look at");
  expect(scene.pings()).toEqual([]);
});

test("a job in a direct message reports there, and a reply continues its session", async () => {
  const scene = stage();
  scene.model.script((_request, index) => text(index === 0 ? "All is quiet." : "As I said."));
  await addJob(scene, '--name "Mine" --at "in 1 s" --prompt "Look."', "D0001");
  // The direct message may hold other bot messages that only ana sees.
  const reported = () => reports(scene, "D0001").find((post) => shown(scene, post).includes("All is quiet."));
  await until(() => reported() !== undefined, { what: () => scene.bot.output() });
  const report = reported();
  if (report === undefined) throw new Error("no report");
  scene.slack.people.say({ text: "Really?", channel: "D0001", threadTs: report.ts });
  await saidBelow(scene, report, "As I said.");
  expect(JSON.stringify(scene.model.requests[1]?.body)).toContain("All is quiet.");
});

test("a job in a Discord direct message sends its files after the report, and a reply continues its session", async () => {
  const office = discord();
  const { bot, model, ana } = office;
  let before: readonly unknown[] = [];
  const dm = office.discord.world.dm(ana);
  const talk = office.in(dm.id);
  const reported = () => talk.byBot().find(({ content }) => content.includes("All is quiet."));
  model.script((_request, index) => {
    if (index === 0) return toolUse("attach", { path: "figures.csv", comment: "The figures." });
    if (index === 1) before = talk.byBot().filter(({ files }) => files.length > 0);
    return text(["", "All is quiet.", "As I said.", "Something else."][index] ?? "");
  });
  const root = bot.sandboxRoot(`discord-${dm.id}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, "figures.csv"), "port,9090\n");
  talk.say('/jobs add --name "Mine" --at "in 1 s" --prompt "Send the figures."');
  await office.until(`the figures\n${bot.output()}`, () => talk.byBot().some(({ files }) => files.length > 0));
  expect(before).toEqual([]);
  const report = reported();
  if (report === undefined) throw new Error("files came before their report");
  const hasSaid = (words: string) => () => talk.byBot().some(({ content }) => content.includes(words));
  talk.say("Really?", ana, { type: MessageType.Reply, repliesTo: report });
  await office.until(`an answer to the reply\n${bot.output()}`, hasSaid("As I said."));
  talk.say("And the weather?");
  await office.until(`an answer to the other question\n${bot.output()}`, hasSaid("Something else."));
  const [, , ofReply, ofOther] = model.requests.map(({ body }) => JSON.stringify(body));
  expect(ofReply).toContain("Send the figures.");
  expect(ofOther).not.toContain("Send the figures.");
});
