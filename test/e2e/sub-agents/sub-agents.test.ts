import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../../support/database/postgres.ts";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { agentIds, isAssigned } from "../../support/talk/agent-lines.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";
import { answered, answers, background, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";

const playing = useSlackOffice({ settings: { mode: "agi" } });

/** The same in a program of its own. */
async function office(script: Script, settings: object, env = {}): Promise<SlackOffice> {
  const opened = await slackOffice({ settings, env });
  opened.model.script(script);
  await opened.bot.start();
  return opened;
}

test("a sub-agent works in a history of its own, and its parent answers with its report", async () => {
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
  expect(at.model.violations).toEqual([]);
});

/** Two in the background, both waited for, then one answer of both. */
const twoParts: Script = (request) => {
  const ids = agentIds(request);
  if (ids.length > 0) return ids.map((id) => toolUse("agent_output", { agent_id: id, action: "wait" }));
  return request.toolResults.length === 0
    ? [part("A", background), part("B", background)]
    : text(`Merged: ${results(request)}`);
};

test("two sub-agents in the background overlap in time, and their reports are merged into one answer", async () => {
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
  expect(at.model.violations).toEqual([]);
});

test("a stop ends the run and all its sub-agents, those in the background, too", async () => {
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
  expect(await statusIn(talk, at)).toMatch(/^⏳ Working · turn 1 · 3 sub-agents at work\. Agent \*\*build\*\*/u);
  talk.click("stop:");
  const ends = await Promise.all(at.model.requests.slice(1).map((request) => request.ended));
  expect(ends).toEqual(["aborted", "aborted", "aborted"]);
  await talk.shows(/Stopped by @ana/u);
  await untilIdle(at.bot);
  expect(at.model.requests).toHaveLength(4);
});

test("a sub-agent that ends after its parent's run wakes the parent, who tells of it", async () => {
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

/** What `/status` answers, in a thread or to anybody who asks there. */
async function statusIn(talk: ReturnType<SlackOffice["talk"]>, at: SlackOffice): Promise<string> {
  const known = at.ephemeralsTo("U0ANA").length;
  talk.mention("/status");
  await at.until("the status", () => at.ephemeralsTo("U0ANA").length > known);
  return at.ephemeralsTo("U0ANA").at(-1) ?? "";
}

/** Until so many runs are left at work. */
async function untilIdleBut(at: SlackOffice, count: number): Promise<void> {
  await at.until(`${count} runs at work`, async () =>
    (await at.bot.probe("metrics")).text.includes(`deckhand_runs{state="running"} ${count}`),
  );
}

test("/stop reaches a sub-agent whose parent's run has ended, and nobody is told of its end", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (isPart(request, "A")) return [gate.part, text("late")];
    return request.toolResults.length === 0 ? part("A", background) : text("It is under way.");
  });
  const talk = at.talk({ text: "begin it", channel: at.channel() });
  await answered(at, talk, "It is under way.");
  await gate.reached;
  await untilIdleBut(at, 1);
  expect(await statusIn(talk, at)).toMatch(/^⏳ Working · in the background · 1 sub-agent at work\./u);
  talk.mention("/stop");
  const child = at.model.requests.find((request) => isPart(request, "A"));
  expect(await child?.ended).toBe("aborted");
  await untilIdle(at.bot);
  expect(at.model.requests).toHaveLength(3);
});

test("a sub-agent in the background can be read and cancelled", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (isPart(request, "A")) return [text("Half of it is done."), gate.part];
    const [id] = agentIds(request);
    if (id !== undefined) return toolUse("agent_output", { agent_id: id });
    if (results(request).includes("is at work")) {
      const known = /agt_\w+/u.exec(conversationOf(request.body))?.[0];
      return toolUse("agent_output", { agent_id: known, action: "cancel" });
    }
    return request.toolResults.length === 0 ? part("A", background) : text(`In the end: ${results(request)}`);
  });
  const talk = at.talk({ text: "begin it", channel: at.channel() });
  await answered(at, talk, "In the end: It was stopped by the agent that began it.");
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(1);
});

test("sub-agents go three deep at most, and only where agent is among their tools", async () => {
  const deeper = { description: "deeper", prompt: "Go deeper.", tools: ["agent"] };
  const at = playing((request) => {
    if (request.toolResults.length > 0) return text(`(${results(request)})`);
    return toolUse("agent", deeper);
  });
  const talk = at.talk({ text: "dig", channel: at.channel() });
  await answered(at, talk, "3 deep at most");
  expect(answers(talk)[0]).toMatch(/^\(\(\(\(Sub-agents go 3 deep at most/u);
  expect(at.model.requests).toHaveLength(8);

  at.model.script((request) => {
    if (request.toolResults.length > 0) return text(`(${results(request)})`);
    return isAssigned(request, "Do part A.") ? part("B") : part("A");
  });
  const other = at.talk({ text: "dig without leave", channel: at.channel() });
  await answered(at, other, "((The tool agent is not enabled here.))");
});

test("with one place for runs, a parent that waits leaves it to its sub-agents", async () => {
  await using at = await office(
    (request) => {
      if (isPart(request, "A")) return text("A is 3.");
      if (isPart(request, "B")) return text("B is 4.");
      return request.toolResults.length === 0 ? [part("A"), part("B")] : text(`Both: ${results(request)}`);
    },
    { mode: "agi", maxConcurrentRuns: 1 },
  );
  const talk = at.talk({ text: "both", channel: at.channel() });
  await answered(at, talk, "Both: A is 3. | B is 4.");
});

const databases: readonly { name: string; open: () => Promise<Record<string, string>> }[] = [
  { name: "SQLite", open: () => Promise.resolve({}) },
  {
    name: "PostgreSQL",
    open: async () => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.stop());
      return { DATABASE_URL: await postgres.createDatabase() };
    },
  },
];

test.each(databases)(
  "on $name a sub-agent's card and question name it, and its person decides and answers",
  async (database) => {
    await using at = await office(
      (request) => {
        if (isPart(request, "A")) {
          if (request.toolResults.length === 0) return toolUse("ask_user_question", { question: "Which port?" });
          if (results(request).includes("ana")) return toolUse("write", { path: "port.txt", content: "9090\n" });
          return text("Written.");
        }
        return request.toolResults.length === 0 ? part("A") : text(`So: ${results(request)}`);
      },
      { mode: "write" },
      await database.open(),
    );
    const talk = at.talk({ text: "do it", channel: at.channel() });
    await at.until("the question", () => talk.seen().some(({ text: said }) => said.includes("Which port?")));
    expect(talk.seen().find(({ text: said }) => said.includes("Which port?"))?.text).toContain(
      "**worker** (sub-agent)",
    );
    talk.say("9090");
    await at.until("the card", () => talk.live().some(({ text: said }) => said.includes("port.txt")));
    expect(talk.live().find(({ text: said }) => said.includes("port.txt"))?.text).toContain(
      "asked by @ana, for sub-agent worker",
    );
    talk.click("approve:y");
    await answered(at, talk, "So: Written.");
    const file = path.join(at.bot.sandboxRoot(`slack-${talk.channel}`), "port.txt");
    expect(existsSync(file) && readFileSync(file, "utf8")).toBe("9090\n");
  },
);
