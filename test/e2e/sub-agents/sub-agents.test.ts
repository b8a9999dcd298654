import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { toolsOf } from "../../support/model/request-parts.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { agentIds, isAssigned } from "../../support/talk/agent-lines.ts";
import { useBothPlatforms } from "../../support/talk/both-platforms.ts";
import type { DiscordOffice, DiscordTalk } from "../../support/talk/discord-office.ts";
import { conversationOf, type SlackOffice } from "../../support/talk/slack-talk.ts";
import { answered, answers, background, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";
import { decidedByItsPerson } from "./decided-by-its-person.ts";

let postgres: Postgres | null = null;

/** A channel in which tools need approval. */
const ASKING = "C9001";
/** Managed mode is off until somebody turns it on in a thread. */
const MANAGED = { enabled: false, maxConcurrentExecutors: 2, executorIsolation: true };
const settings = { mode: "agi", managedAgents: MANAGED, channels: { [`slack:${ASKING}`]: { mode: "write" } } };
/** This file runs on PostgreSQL; the other files here run on SQLite. */
const both = useBothPlatforms(async () => {
  postgres = await startPostgres();
  return { settings, env: { DATABASE_URL: await postgres.createDatabase() } };
});
const playing = both.slack;

afterAll(() => postgres?.stop());

test("a sub-agent works with a history of its own, and its parent answers with its report", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (isPart(request, "A"))
      return request.toolResults.length === 0 ? toolUse("glob", { pattern: "*" }) : [gate.part, text("A is 3.")];
    return request.toolResults.length === 0 ? part("A", { agent_type: "explorer" }) : text(`So: ${results(request)}`);
  });
  const talk = at.talk({ text: "how many?", channel: at.channel() });
  await gate.reached;
  await talk.shows(/⏳ \*\*build\*\* .*\n⏳ explorer: part A · 1 tool · \d+ s$/u);
  expect(await talk.answered(1)).toBe("→ **explorer**: part A");
  gate.release();
  await answered(at, talk, "So: A is 3.");
  const child = at.model.requests.find((request) => isPart(request, "A"));
  expect(conversationOf(child?.body)).not.toContain("how many?");
  expect(at.model.requests).toHaveLength(4);
});

/** Starts two sub-agents in the background, waits for both, and then gives one answer for both. */
const twoParts: Script = (request) => {
  const ids = agentIds(request);
  if (ids.length > 0) return ids.map((id) => toolUse("agent_output", { agent_id: id, action: "wait" }));
  return request.toolResults.length === 0
    ? [part("A", background), part("B", background)]
    : text(`Merged: ${results(request)}`);
};

test("two background sub-agents run concurrently, and their reports are merged into one answer", async () => {
  const [a, b] = [hold(), hold()];
  const at = playing((request, index) => {
    if (isPart(request, "A")) return [a.part, text("A is 3.")];
    if (isPart(request, "B")) return [b.part, text("B is 4.")];
    return twoParts(request, index);
  });
  const talk = at.talk({ text: "both", channel: at.channel() });
  await Promise.all([a.reached, b.reached]);
  await talk.shows(/(?=.*⏳ worker: part A)(?=.*⏳ worker: part B)/su);
  b.release();
  await talk.shows(/(?=.*⏳ worker: part A)(?=.*✓ worker: part B)/su);
  a.release();
  await answered(at, talk, "Merged: A is 3. | B is 4.");
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(1);
});

test("a stop ends the run and all of its sub-agents, including those in the background", async () => {
  const [a, b, c] = [hold(), hold(), hold()];
  const at = playing((request) => {
    if (isPart(request, "A")) return [a.part, text("late")];
    if (isPart(request, "B")) return [b.part, text("late")];
    if (isPart(request, "C")) return [c.part, text("late")];
    return [part("A", background), part("B"), part("C")];
  });
  const talk = at.talk({ text: "all", channel: at.channel() });
  await Promise.all([a.reached, b.reached, c.reached]);
  await talk.shows(/worker: part C/u);
  expect(await statusIn(talk, at)).toMatch(/^⏳ Working · turn 1 · 3 sub-agents running\. Agent \*\*build\*\*/u);
  talk.click("stop:");
  const ends = await Promise.all(at.model.requests.slice(1).map((request) => request.ended));
  expect(ends).toEqual(["aborted", "aborted", "aborted"]);
  await talk.shows(/Stopped by @ana/u);
  await untilIdle(at.bot);
  expect(at.model.requests).toHaveLength(4);
});

test("a sub-agent that ends after its parent's run wakes the parent, which reports it", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (isPart(request, "A")) return [gate.part, text("A is 3.")];
    if (request.lastUserText.includes("has finished"))
      return text(`Now I know: ${request.lastUserText.split("\n").at(1) ?? ""}`);
    return request.toolResults.length === 0 ? part("A", background) : text("It is under way.");
  });
  const talk = at.talk({ text: "begin it", channel: at.channel() });
  await answered(at, talk, "It is under way.");
  await untilIdleBut(at, 1);
  gate.release();
  await answered(at, talk, "Now I know: A is 3.");
});

/** The private answer to `/status` in this thread. */
async function statusIn(talk: ReturnType<SlackOffice["talk"]>, at: SlackOffice): Promise<string> {
  const known = at.ephemeralsTo("U0ANA").length;
  talk.mention("/status");
  await at.until("the status", () => at.ephemeralsTo("U0ANA").length > known);
  return at.ephemeralsTo("U0ANA").at(-1) ?? "";
}

/** Waits until this many runs are at work. */
async function untilIdleBut(at: SlackOffice, count: number): Promise<void> {
  await at.until(`${count} runs at work`, async () =>
    (await at.bot.probe("metrics")).text.includes(`deckhand_runs{state="running"} ${count}`),
  );
}

test("/stop ends a sub-agent whose parent's run has ended, without a further message", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (isPart(request, "A")) return [gate.part, text("late")];
    return request.toolResults.length === 0 ? part("A", background) : text("It is under way.");
  });
  const talk = at.talk({ text: "begin it", channel: at.channel() });
  await answered(at, talk, "It is under way.");
  await gate.reached;
  await untilIdleBut(at, 1);
  expect(await statusIn(talk, at)).toMatch(/^⏳ Working · in the background · 1 sub-agent running\./u);
  talk.mention("/stop");
  const child = at.model.requests.find((request) => isPart(request, "A"));
  expect(await child?.ended).toBe("aborted");
  await untilIdle(at.bot);
  expect(at.model.requests).toHaveLength(3);
});

test("a background sub-agent can be read and cancelled", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (isPart(request, "A")) return [text("Half of it is done."), gate.part];
    const [id] = agentIds(request);
    if (id !== undefined) return toolUse("agent_output", { agent_id: id });
    if (results(request).includes(", working: ")) {
      const known = /agt_\w+/u.exec(conversationOf(request.body))?.[0];
      return toolUse("agent_output", { agent_id: known, action: "cancel" });
    }
    return request.toolResults.length === 0 ? part("A", background) : text(`In the end: ${results(request)}`);
  });
  const talk = at.talk({ text: "begin it", channel: at.channel() });
  await answered(at, talk, "In the end: It was stopped by the agent that started it.");
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(1);
});

test("sub-agents nest at most three levels deep, and only if their tools include agent", async () => {
  const deeper = { description: "deeper", prompt: "Go deeper.", tools: ["agent"] };
  const at = playing((request) => {
    if (request.toolResults.length > 0) return text(`(${results(request)})`);
    return toolUse("agent", deeper);
  });
  const talk = at.talk({ text: "dig", channel: at.channel() });
  await answered(at, talk, "at most 3 deep");
  expect(answers(talk)[0]).toMatch(/^\(\(\(\(Sub-agents can be nested at most 3 deep/u);
  expect(at.model.requests).toHaveLength(8);

  at.model.script((request) => {
    if (request.toolResults.length > 0) return text(`(${results(request)})`);
    return isAssigned(request, "Do part A.") ? part("B") : part("A");
  });
  const other = at.talk({ text: "dig without leave", channel: at.channel() });
  await answered(at, other, "((The tool agent is not enabled here.))");
});

test("on PostgreSQL a sub-agent's card and question name it, and its requester decides and answers", async () => {
  await decidedByItsPerson(playing(), ASKING);
});

const NAMES = ["A", "B", "C"] as const;
const partOf = (request: Parameters<typeof isAssigned>[0]) =>
  NAMES.find((name) => isAssigned(request, `Do part ${name}.`));

const shows = (at: DiscordOffice, talk: DiscordTalk, line: RegExp) =>
  at.until(`a message like ${line}`, () => talk.byBot().some((message) => line.test(JSON.stringify(message))));

/** The thread's messages without progress and colours: the assignments, sorted, and the answers. */
const told = (talk: DiscordTalk) => {
  const all = talk.answers().map((answer) => answer.replace(/^```ansi\n\S+?m(.*)\S{4}\n```$/u, "$1"));
  const isAssignment = (answer: string) => answer.startsWith("→");
  return { assigned: all.filter(isAssignment).toSorted(), answers: all.filter((answer) => !isAssignment(answer)) };
};

test("on Discord two sub-agents have a line each below their parent's progress, and one answer covers both", async () => {
  const [a, b] = [hold(), hold()];
  const at = both.discord();
  at.model.script((request) => {
    const name = partOf(request);
    if (name !== undefined) return name === "A" ? [a.part, text("A is 3.")] : [b.part, text("B is 4.")];
    return request.toolResults.length === 0 ? [part("A"), part("B")] : text(`Both: ${results(request)}`);
  });
  const talk = at.mention(at.channel("ops"), "both, please");
  await Promise.all([a.reached, b.reached]);
  await shows(at, talk, /(?=.*⏳ worker: part A)(?=.*⏳ worker: part B)/su);
  b.release();
  await shows(at, talk, /(?=.*⏳ worker: part A)(?=.*✓ worker: part B)/su);
  a.release();
  await at.until("the answer", () => talk.answers().includes("Both: A is 3. | B is 4."));
  await untilIdle(at.bot);
  expect(told(talk)).toEqual({
    assigned: ["→ worker: part A", "→ worker: part B"],
    answers: ["Both: A is 3. | B is 4."],
  });
  expect(at.model.requests).toHaveLength(4);
});

test("on Discord a manager may run nothing itself; two of three executors run concurrently, and their worktrees are merged", async () => {
  const gates = { A: hold(), B: hold(), C: hold() };
  /** Executors in the order in which they began, which varies because all their copies are made at once. */
  const begun: (keyof typeof gates)[] = [];
  const at = both.discord();
  const channel = at.channel("managed");
  const root = at.bot.sandboxRoot(`discord-${channel.id}`);
  at.model.script((request, index) => {
    const name = partOf(request);
    if (name !== undefined && request.toolResults.length > 0) return text(`${name} is done.`);
    if (name !== undefined) {
      begun.push(name);
      return [gates[name].part, toolUse("write", { path: `${name}.txt`, content: `${name}\n` })];
    }
    if (index === 0) return text("On my own.");
    const seen = results(request);
    if (request.toolResults.length === 0) return toolUse("bash", { command: "touch by-hand.txt" });
    if (seen.includes("managers only look and plan")) return NAMES.map((each) => part(each));
    const ids = [...new Set(seen.match(/agt_\w+/gu))];
    return seen.includes("is done.") ? ids.map((id) => toolUse("merge_work", { agent_id: id })) : text(`So: ${seen}`);
  });
  const talk = at.mention(channel, "who are you?");
  await talk.answered(1);
  await untilIdle(at.bot);
  talk.say(`<@${at.discord.world.bot.id}> /managed on`);
  await at.until("the reply", () =>
    at.discord.people.shownPrivately(at.ana).some((reply) => reply.startsWith("✓ Managed mode **on**")),
  );
  talk.say("do all three");
  await at.until("two at work", () => begun.length === 2);
  const [first = "A", second = "B"] = begun;
  await shows(at, talk, new RegExp(`⏳ executor: part ${first}`, "u"));
  await shows(at, talk, new RegExp(`⏳ executor: part ${second}`, "u"));
  expect(begun).toHaveLength(2);
  gates[second].release();
  await at.until("the third", () => begun.length === 3);
  await shows(at, talk, new RegExp(`✓ executor: part ${second}`, "u"));
  expect(existsSync(path.join(root, `${second}.txt`))).toBe(false);
  for (const gate of Object.values(gates)) gate.release();
  await at.until("the answer", () => talk.answers().some((answer) => answer.startsWith("So:")));
  await untilIdle(at.bot);
  expect(told(talk)).toEqual({
    assigned: NAMES.map((name) => `→ executor: part ${name}`),
    answers: ["On my own.", `So: ${NAMES.map((name) => `merged: ${name}.txt`).join(" | ")}`],
  });
  expect(NAMES.map((name) => readFileSync(path.join(root, `${name}.txt`), "utf8"))).toEqual(["A\n", "B\n", "C\n"]);
  expect(existsSync(path.join(root, "by-hand.txt"))).toBe(false);
  const executor = at.model.requests.find((request) => partOf(request) !== undefined);
  expect(toolsOf(executor?.body)).not.toContain("agent");
  expect(toolsOf(at.model.requests[1]?.body)).not.toContain("bash");
});
