import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isAssigned } from "../support/agent-lines.ts";
import { untilIdle } from "../support/bot.ts";
import { hold, type Part, text, toolUse, usage } from "../support/model-script.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { conversationOf, type SlackOffice, slackOffice, type Talk } from "../support/slack-talk.ts";

const MANAGED = { enabled: true, maxConcurrentExecutors: 2 };

async function office(script: Script, settings: object = { managedAgents: MANAGED }): Promise<SlackOffice> {
  const opened = await slackOffice({ settings: { mode: "agi", ...settings } });
  opened.model.script(script);
  await opened.bot.start();
  return opened;
}

const NAMES = ["A", "B", "C"] as const;
const part = (name: string, more: object = {}): Part =>
  toolUse("agent", { description: `part ${name}`, prompt: `Do part ${name}.`, ...more });
const partOf = (request: RecordedRequest) => NAMES.find((name) => isAssigned(request, `Do part ${name}.`));
const results = (request: RecordedRequest) => request.toolResults.map((result) => result.text).join(" | ");
const answers = (talk: Talk) => talk.answers().filter((answer) => !answer.startsWith("→"));
const answered = (at: SlackOffice, talk: Talk, words: string) =>
  at.until(`the answer "${words}"`, () => answers(talk).some((answer) => answer.includes(words)));
const toolNames = ({ body }: RecordedRequest): string[] =>
  typeof body === "object" && body !== null && "tools" in body && Array.isArray(body.tools)
    ? body.tools.map((tool: { name: string }) => tool.name)
    : [];

test("of three executors two are at work at once, the third queues, and the manager answers for all", async () => {
  const gates = { A: hold(), B: hold(), C: hold() };
  await using at = await office((request) => {
    const name = partOf(request);
    if (name !== undefined) return [gates[name].part, text(`${name} is done.`)];
    return request.toolResults.length === 0 ? NAMES.map((each) => part(each)) : text(`All: ${results(request)}`);
  });
  const talk = at.talk({ text: "do all three", channel: at.channel() });
  await Promise.all([gates.A.reached, gates.B.reached]);
  await talk.shows(/executor: part A/u);
  expect(at.model.requests.filter((request) => partOf(request) !== undefined)).toHaveLength(2);
  gates.B.release();
  await gates.C.reached;
  gates.A.release();
  gates.C.release();
  await answered(at, talk, "All: A is done. | B is done. | C is done.");
  expect(at.model.requests).toHaveLength(5);
  expect(at.model.violations).toEqual([]);
});

test("killed with two at work and one queued, there are still never three, and all come to an end", async () => {
  const first = { A: hold(), B: hold(), C: hold() };
  const again = { A: hold(), B: hold(), C: hold() };
  await using at = await office((request) => {
    const name = partOf(request);
    if (name !== undefined) return [first[name].part, again[name].part, text(`${name} is done.`)];
    return request.toolResults.length === 0 ? NAMES.map((each) => part(each)) : text(`All: ${results(request)}`);
  });
  const talk = at.talk({ text: "do all three", channel: at.channel() });
  await Promise.all([first.A.reached, first.B.reached]);
  await talk.shows(/executor: part B/u);
  await at.bot.kill("SIGKILL");
  for (const name of NAMES) first[name].release();
  await at.bot.start();
  await Promise.all([again.A.reached, again.B.reached]);
  expect(at.model.requests.some((request) => partOf(request) === "C")).toBe(false);
  again.A.release();
  await again.C.reached;
  again.B.release();
  again.C.release();
  await answered(at, talk, "All: A is done. | B is done. | C is done.");
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(1);
});

test("the manager looks and hands on; what it tries itself is refused, and executors get no agent", async () => {
  await using at = await office((request) => {
    if (partOf(request) !== undefined) {
      return request.toolResults.length === 0 ? toolUse("write", { path: "a.txt", content: "A\n" }) : text("Written.");
    }
    if (request.toolResults.length === 0) return toolUse("bash", { command: "echo A > a.txt" });
    return results(request).includes("managers look and plan only") ? part("A") : text(`So: ${results(request)}`);
  });
  const talk = at.talk({ text: "write it", channel: at.channel() });
  await answered(at, talk, "So: Written.");
  talk.mention("!echo by hand");
  await answered(at, talk, "by hand");
  const [manager] = at.model.requests;
  const executor = at.model.requests.find((request) => partOf(request) === "A");
  expect(manager === undefined ? [] : toolNames(manager)).toEqual(
    expect.arrayContaining(["agent", "read", "update_plan"]),
  );
  for (const name of ["bash", "write", "edit"])
    expect(manager === undefined ? [name] : toolNames(manager)).not.toContain(name);
  expect(executor === undefined ? [] : toolNames(executor)).toEqual(expect.arrayContaining(["bash", "write"]));
  expect(executor === undefined ? ["agent"] : toolNames(executor)).not.toContain("agent");
  expect(readFileSync(path.join(at.bot.sandboxRoot(`slack-${talk.channel}`), "a.txt"), "utf8")).toBe("A\n");
});

test("the total budget stops executors and manager, with an account of what was done", async () => {
  // $0.063 by the model's prices.
  const spent = usage({ input: 1_000, output: 4_000 });
  await using at = await office(
    (request) => {
      const isFirst = request.toolResults.length === 0;
      const name = partOf(request);
      if (name === "A")
        return isFirst ? [toolUse("write", { path: "a.txt", content: "A\n" }), spent] : [text("A is done."), spent];
      if (name === "B") return isFirst ? toolUse("ask_user_question", { question: "Go on?" }) : text("unreached");
      return isFirst ? [part("A"), part("B")] : text("unreached");
    },
    { managedAgents: { ...MANAGED, totalBudgetUsd: 0.125 }, maxTokens: 4_000 },
  );
  const talk = at.talk({ text: "both", channel: at.channel() });
  await talk.shows(/✓ executor: part A/u);
  await at.until("the question", () => talk.seen().some(({ text: said }) => said.includes("Go on?")));
  talk.say("yes");
  await answered(at, talk, "for this managed task");
  const account = answers(talk).at(-1) ?? "";
  expect(account).toMatch(/✗ Stopped at \$0\.1\d+ of \$0\.13 for this managed task/u);
  expect(account).toContain("a.txt was already changed.");
  expect(account).toMatch(/\n✓ executor: part A.*\n✗ executor: part B.*did not get to its end/u);
  await untilIdle(at.bot);
  expect(at.model.requests).toHaveLength(4);
});

test("/managed on and off hold for the thread, and show in what I may use", async () => {
  await using at = await office((request) => text(toolNames(request).includes("write") ? "I work." : "I manage."), {});
  const talk = at.talk({ text: "who are you?", channel: at.channel() });
  await talk.answered(1);
  talk.mention("/managed on");
  await at.until("the reply", () =>
    at
      .whispersTo("U0ANA")
      .some((reply) => reply.includes("Managed mode *on*") || reply.includes("Managed mode **on**")),
  );
  talk.say("and now?");
  await answered(at, talk, "I manage.");
  talk.mention("/managed off");
  await at.until("the reply", () => at.whispersTo("U0ANA").length === 2);
  talk.say("and now?");
  await talk.answered(3);
  expect(talk.answers()).toEqual(["I work.", "I manage.", "I work."]);
  expect(existsSync(at.bot.home)).toBe(true);
});

const LINES = ["one", "two", "three", "four", "five", "six", "seven"];

test("executors that work in copies touch nothing until their work is merged, and a conflict is named", async () => {
  const change = (path: string, from: string, to: string) =>
    toolUse("edit", { path, old_string: from, new_string: to });
  await using at = await office(
    (request) => {
      const name = partOf(request);
      const step = JSON.stringify(request.body).split('"tool_result"').length - 1;
      if (name !== undefined) {
        if (step === 0) return [toolUse("read", { path: "port.txt" }), toolUse("read", { path: "lines.txt" })];
        const line = name === "A" ? change("lines.txt", "one", "ONE") : change("lines.txt", "seven", "SEVEN");
        if (step === 2) return [change("port.txt", "8080", name === "A" ? "9090" : "7070"), line];
        return text(`${name} is done.`);
      }
      if (step === 0) return [part("A"), part("B")];
      const ids = [...new Set(conversationOf(request.body).match(/agt_\w+/gu))];
      if (step === 2) return ids.map((id) => toolUse("merge_work", { agent_id: id }));
      return text(`Merged: ${results(request)}`);
    },
    { managedAgents: { ...MANAGED, executorIsolation: true } },
  );
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, "port.txt"), "8080\n");
  writeFileSync(path.join(root, "lines.txt"), `${LINES.join("\n")}\n`);
  const talk = at.talk({ text: "change both", channel });
  await answered(at, talk, "Merged:");
  const handed = at.model.requests.find((request) => results(request).includes("In its copy"));
  expect(handed === undefined ? "" : results(handed)).toMatch(
    /A is done\..*changed: lines\.txt\nchanged: port\.txt.*-8080\n\+9090/su,
  );
  expect(readFileSync(path.join(root, "port.txt"), "utf8")).toBe("9090\n");
  expect(readFileSync(path.join(root, "lines.txt"), "utf8")).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
  expect(answers(talk).at(-1)).toContain("conflict: port.txt (the same lines are changed on both sides)");
  expect(answers(talk).at(-1)).toContain("merged: lines.txt (joined with what was changed here)");
  expect(readdirSync(root).sort()).toEqual(["lines.txt", "port.txt"]);
  expect(at.model.violations).toEqual([]);
});

test("/undo takes back what was merged, and what stayed in a copy counts as changed nowhere", async () => {
  await using at = await office(
    (request) => {
      const name = partOf(request);
      const step = JSON.stringify(request.body).split('"tool_result"').length - 1;
      if (name !== undefined) {
        if (step === 0) return toolUse("read", { path: "port.txt" });
        if (step === 1) return toolUse("edit", { path: "port.txt", old_string: "8080", new_string: "9090" });
        return step === 2 ? toolUse("write", { path: `new/${name}.txt`, content: "n\n" }) : text(`${name} is done.`);
      }
      if (step === 0) return [part("A"), part("B")];
      const [id] = new Set(conversationOf(request.body).match(/agt_\w+/gu));
      return step === 2 && id !== undefined
        ? toolUse("merge_work", { agent_id: id })
        : text(`Merged: ${results(request)}`);
    },
    { managedAgents: { ...MANAGED, executorIsolation: true } },
  );
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, "port.txt"), "8080\n");
  const talk = at.talk({ text: "change it", channel });
  await answered(at, talk, "Merged:");
  expect(readFileSync(path.join(root, "port.txt"), "utf8")).toBe("9090\n");
  talk.mention("/undo");
  await at.until("the files as they were", () => readFileSync(path.join(root, "port.txt"), "utf8") === "8080\n");
  await at.until("the new file to go", () => !existsSync(path.join(root, "new/A.txt")));
  expect(existsSync(path.join(root, "new/B.txt"))).toBe(false);
});
