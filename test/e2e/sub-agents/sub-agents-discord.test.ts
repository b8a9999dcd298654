import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import { toolsOf } from "../../support/model/request-parts.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { isAssigned } from "../../support/talk/agent-lines.ts";
import { type DiscordOffice, type DiscordTalk, discordOffice } from "../../support/talk/discord-office.ts";
import { useStage } from "../../support/talk/shared-office.ts";
import { part, results } from "../../support/talk/sub-agent-talk.ts";

/** Managed mode is off until somebody switches it on in a thread. */
const MANAGED = { enabled: false, maxConcurrentExecutors: 2, executorIsolation: true };
const stage = useStage(() => discordOffice({ settings: { mode: "agi", managedAgents: MANAGED } }));

const NAMES = ["A", "B", "C"] as const;
const partOf = (request: Parameters<typeof isAssigned>[0]) =>
  NAMES.find((name) => isAssigned(request, `Do part ${name}.`));

const shows = (at: DiscordOffice, talk: DiscordTalk, line: RegExp) =>
  at.until(`a message like ${line}`, () => talk.byBot().some((message) => line.test(JSON.stringify(message))));

/** What the thread holds but progress, words without colours: what was handed to whom, in no order, and the answers. */
const told = (talk: DiscordTalk) => {
  const all = talk.answers().map((answer) => answer.replace(/^```ansi\n\S+?m(.*)\S{4}\n```$/u, "$1"));
  const isAssignment = (answer: string) => answer.startsWith("→");
  return { assigned: all.filter(isAssignment).toSorted(), answers: all.filter((answer) => !isAssignment(answer)) };
};

test("on Discord, two sub-agents show a line each under their parent's progress, and one answer tells of both", async () => {
  const [a, b] = [hold(), hold()];
  const at = stage();
  at.model.script((request) => {
    const name = partOf(request);
    if (name !== undefined) return name === "A" ? [a.part, text("A is 3.")] : [b.part, text("B is 4.")];
    return request.toolResults.length === 0 ? [part("A"), part("B")] : text(`Both: ${results(request)}`);
  });
  const talk = at.mention(at.channel("ops"), "both, please");
  await Promise.all([a.reached, b.reached]);
  await shows(at, talk, /⏳ worker: part A.*⏳ worker: part B/u);
  b.release();
  await shows(at, talk, /⏳ worker: part A.*✓ worker: part B/u);
  a.release();
  await at.until("the answer", () => talk.answers().includes("Both: A is 3. | B is 4."));
  await untilIdle(at.bot);
  expect(told(talk)).toEqual({
    assigned: ["→ worker: part A", "→ worker: part B"],
    answers: ["Both: A is 3. | B is 4."],
  });
  expect(at.model.requests).toHaveLength(4);
});

test("on Discord, a manager may run nothing itself; two of three executors work at once, and their copies are merged", async () => {
  const gates = { A: hold(), B: hold(), C: hold() };
  /** The executors in the order in which they began: that of their copies, of which all are made at once. */
  const begun: (keyof typeof gates)[] = [];
  const at = stage();
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
    if (seen.includes("managers look and plan only")) return NAMES.map((each) => part(each));
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
