import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { hold, type Part, text, toolUse, usage } from "../../support/model/model-script.ts";
import type { RecordedRequest, Script } from "../../support/model/model-server.ts";
import { until, untilIdle } from "../../support/program/bot.ts";
import { directoryPrint } from "../../support/program/directory-print.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type SlackOffice, type Talk } from "../../support/talk/slack-talk.ts";
import { answered, answers, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";

const MANAGED = { enabled: true, maxConcurrentExecutors: 2 };

/** A channel in which a model call may write only a few tokens. */
const BRIEF = "C9001";
const managing = useSlackOffice({
  settings: {
    mode: "agi",
    managedAgents: {
      ...MANAGED,
      presets: {
        apart: { maxConcurrentExecutors: 2, executorIsolation: true },
        thrifty: { maxConcurrentExecutors: 2, totalBudgetUsd: 0.125 },
      },
    },
    channels: { [`slack:${BRIEF}`]: { maxTokens: 4_000 } },
  },
});

/** Starts a thread and turns managed mode on with this preset, before any work is asked for. */
async function managedBy(preset: string, { channel, script }: { channel: string; script: Script }) {
  const at = managing(() => text("Hello."));
  const talk = at.talk({ text: "hello", channel });
  await talk.answered(1);
  await untilIdle(at.bot);
  talk.mention(`/managed on ${preset}`);
  await at.until("that it is on", () => at.ephemeralsTo("U0ANA").some((told) => told.includes(preset)));
  at.model.forget();
  at.model.script(script);
  return talk;
}

const NAMES = ["A", "B", "C"] as const;
const partOf = (request: RecordedRequest) => NAMES.find((name) => isPart(request, name));
const toolNames = ({ body }: RecordedRequest): string[] =>
  typeof body === "object" && body !== null && "tools" in body && Array.isArray(body.tools)
    ? body.tools.map((tool: { name: string }) => tool.name)
    : [];

/** The executor with this name runs a command; its work is merged once the gate opens. */
const merging =
  (name: string, command: string, gate: Part): Script =>
  (request) => {
    if (isPart(request, name))
      return request.toolResults.length === 0 ? toolUse("bash", { command }) : text(`${name} is done.`);
    if (request.toolResults.length === 0) return part(name);
    const id = /agt_\w+/u.exec(results(request))?.[0] ?? /agt_\w+/u.exec(conversationOf(request.body))?.[0] ?? "";
    return results(request).includes("In its copy")
      ? [gate, toolUse("merge_work", { agent_id: id })]
      : text(`Merged: ${results(request)}`);
  };

describe("killed while executors work in worktrees", () => {
  const soon = (what: string, condition: () => boolean) => until(condition, { what: () => what });

  type Work = Readonly<{ name: string; files: Readonly<Record<string, string>>; command: string }>;

  /** Starts a thread with these files in a channel of its own; its executor will run the command. */
  async function apart({ name, files, command }: Work) {
    const at = managing();
    const channel = at.channel();
    const root = at.bot.sandboxRoot(`slack-${channel}`);
    mkdirSync(root, { recursive: true });
    for (const [file, content] of Object.entries(files)) writeFileSync(path.join(root, file), content);
    const gate = hold();
    const script = merging(name, command, gate.part);
    const talk = await managedBy("apart", { channel, script });
    const there = () => readdirSync(root).filter((file) => file.startsWith("new-")).length;
    const isOf = (request: RecordedRequest) =>
      isPart(request, name) || conversationOf(request.body).includes(`make ${name}`);
    return { at, root, talk, there, gate, script, isOf, copies: path.join(at.bot.home, "data/executors") };
  }

  /** The only answer besides the first hello. */
  async function oneAnswer(at: SlackOffice, talk: Talk): Promise<string> {
    await at.until("the answer", () => answers(talk).length > 1);
    await untilIdle(at.bot);
    expect(answers(talk)).toHaveLength(2);
    expect(at.model.requests.filter((request) => isPart(request, "A")).length).toBeGreaterThanOrEqual(2);
    return answers(talk)[1] ?? "";
  }

  // This test is the first one because it looks at all copies.
  test("while a worktree is being created, the executor gets a complete one, and no partial one remains", async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `file-${index}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
    const { at, talk, root, gate, copies } = await apart({ name: "A", files, command: "ls | wc -l > count.txt" });
    gate.release();
    talk.say("count them");
    const isMaking = () => existsSync(copies) && readdirSync(copies).some((name) => name.endsWith(".making"));
    await soon("a copy that is being made", isMaking);
    await at.bot.kill("SIGKILL");
    expect(readdirSync(copies)).toEqual([expect.stringMatching(/\.making$/u)]);
    await at.bot.start();
    expect(await oneAnswer(at, talk)).toContain("merged: count.txt");
    expect(readFileSync(path.join(root, "count.txt"), "utf8").trim()).toMatch(/^150[01]$/u);
    expect(readdirSync(copies)).toEqual([expect.stringMatching(/^agt_\w+$/u)]);
  });

  test("during a merge, everything is merged and answered once; after a stop, the merged files are listed and can be undone", async () => {
    const command = "for i in $(seq 400); do echo $i > new-$i.txt; done";
    const whole = await apart({ name: "A", files: { "a.txt": "a\n" }, command: `${command}; echo b > a.txt` });
    const cut = await apart({ name: "B", files: {}, command });
    const { at, root } = whole;
    const both = [whole, cut];
    at.model.script((request, index) => both.find(({ isOf }) => isOf(request))?.script(request, index) ?? text("?"));
    whole.talk.say("make A");
    cut.talk.say("make B");
    await Promise.all(both.map(({ gate }) => gate.reached));
    for (const { gate } of both) gate.release();
    await soon("the first files of both", () => both.every(({ there }) => there() > 0));
    await at.bot.kill("SIGKILL");
    const before = both.map(({ there }) => there());
    const database = new BetterSqlite3(path.join(at.bot.home, "data/deckhand.db"));
    const ofChannel = `"sessionId" IN (SELECT "id" FROM "Session" WHERE "channelId" LIKE '%${cut.talk.channel}')`;
    database.prepare(`UPDATE Run SET cancelledBy = '@ana' WHERE status <> 'ended' AND ${ofChannel}`).run();
    database.close();
    await at.bot.start();
    await oneAnswer(at, whole.talk);
    for (const count of before) expect(count).toBeLessThan(400);
    expect(both.map(({ there }) => there())).toEqual([400, before[1]]);
    expect(readFileSync(path.join(root, "a.txt"), "utf8")).toBe("b\n");
    // A later write removes the temporary file of a killed one.
    expect(readdirSync(root).filter((name) => !name.endsWith(".tmp"))).toHaveLength(401);

    for (const { talk } of both) talk.mention("/undo");
    await soon("the new files to go", () => both.every(({ there }) => there() === 0));
    await soon("the old one", () => readFileSync(path.join(root, "a.txt"), "utf8") === "a\n");
  });
});

type Name = (typeof NAMES)[number];

/** Waits until two of the three executors are at work. Which two get the places first is not defined. */
async function firstTwo(at: SlackOffice): Promise<{ readonly two: readonly [Name, Name]; readonly third: Name }> {
  const begun = () => NAMES.filter((name) => at.model.requests.some((request) => partOf(request) === name));
  await at.until("two at work", () => begun().length >= 2);
  const [one, other, ...more] = begun();
  const third = NAMES.find((name) => !begun().includes(name));
  if (one === undefined || other === undefined || third === undefined) throw new Error(`also begun: ${more.join()}`);
  return { two: [one, other], third };
}

test("of three executors two run concurrently, the third queues, and the manager gives one answer", async () => {
  const gates = { A: hold(), B: hold(), C: hold() };
  const at = managing((request) => {
    const name = partOf(request);
    if (name !== undefined) return [gates[name].part, text(`${name} is done.`)];
    return request.toolResults.length === 0 ? NAMES.map((each) => part(each)) : text(`All: ${results(request)}`);
  });
  const talk = at.talk({ text: "do all three", channel: at.channel() });
  const { two, third } = await firstTwo(at);
  await Promise.all(two.map((name) => gates[name].reached));
  await talk.shows(new RegExp(`executor: part ${two[0]}`, "u"));
  expect(at.model.requests.filter((request) => partOf(request) !== undefined)).toHaveLength(2);
  gates[two[1]].release();
  await gates[third].reached;
  gates[two[0]].release();
  gates[third].release();
  await answered(at, talk, "All: A is done. | B is done. | C is done.");
  expect(at.model.requests).toHaveLength(5);
});

test("after a kill with two running and one queued, still at most two run, and all finish", async () => {
  const first = { A: hold(), B: hold(), C: hold() };
  const again = { A: hold(), B: hold(), C: hold() };
  const at = managing((request) => {
    const name = partOf(request);
    if (name !== undefined) return [first[name].part, again[name].part, text(`${name} is done.`)];
    return request.toolResults.length === 0 ? NAMES.map((each) => part(each)) : text(`All: ${results(request)}`);
  });
  const talk = at.talk({ text: "do all three", channel: at.channel() });
  const { two, third } = await firstTwo(at);
  await Promise.all(two.map((name) => first[name].reached));
  await talk.shows(new RegExp(`executor: part ${two[1]}`, "u"));
  await at.bot.kill("SIGKILL");
  for (const name of NAMES) first[name].release();
  await at.bot.start();
  await Promise.all(two.map((name) => again[name].reached));
  expect(at.model.requests.some((request) => partOf(request) === third)).toBe(false);
  again[two[0]].release();
  await again[third].reached;
  again[two[1]].release();
  again[third].release();
  await answered(at, talk, "All: A is done. | B is done. | C is done.");
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(1);
});

test("the manager may read and delegate, its own changes are refused, and executors have no agent tool", async () => {
  const at = managing((request) => {
    if (partOf(request) !== undefined) {
      return request.toolResults.length === 0 ? toolUse("write", { path: "a.txt", content: "A\n" }) : text("Written.");
    }
    if (request.toolResults.length === 0) return toolUse("bash", { command: "echo A > a.txt" });
    return results(request).includes("managers only look and plan") ? part("A") : text(`So: ${results(request)}`);
  });
  const talk = at.talk({ text: "write it", channel: at.channel() });
  await answered(at, talk, "So: Written.");
  talk.mention("!echo by hand");
  await answered(at, talk, "by hand");
  const [manager] = at.model.requests;
  const executor = at.model.requests.find((request) => partOf(request) === "A");
  expect(manager === undefined ? [] : toolNames(manager)).toEqual(
    expect.arrayContaining(["agent", "read", "tool_search"]),
  );
  for (const name of ["bash", "write", "edit"])
    expect(manager === undefined ? [name] : toolNames(manager)).not.toContain(name);
  expect(executor === undefined ? [] : toolNames(executor)).toEqual(expect.arrayContaining(["bash", "write"]));
  expect(executor === undefined ? ["agent"] : toolNames(executor)).not.toContain("agent");
  expect(readFileSync(path.join(at.bot.sandboxRoot(`slack-${talk.channel}`), "a.txt"), "utf8")).toBe("A\n");
});

test("the total budget stops executors and manager with one summary, also after a kill at any time", async () => {
  // Costs $0.042 at the model's prices.
  const spent = usage({ input: 1_000, output: 4_000 });
  // Two turns of each kind use up the budget.
  const looked = usage({ input: 10_000, output: 40 });
  const gate = hold();
  const at = managing();
  const talk = await managedBy("thrifty", {
    channel: BRIEF,
    script: (request) => {
      const isFirst = request.toolResults.length === 0;
      const name = partOf(request);
      if (name === "C")
        return isFirst ? [gate.part, toolUse("glob", { pattern: "*" }), spent] : [text("C is done."), spent];
      if (conversationOf(request.body).includes("once more"))
        return results(request).includes("in the background")
          ? [text("C goes on."), looked]
          : [part("C", { run_in_background: true }), looked];
      if (name === "A")
        return isFirst ? [toolUse("write", { path: "a.txt", content: "A\n" }), spent] : [text("A is done."), spent];
      if (name === "B")
        return isFirst ? [toolUse("ask_user_question", { question: "Go on?" }), looked] : text("unreached");
      return isFirst ? [part("A"), part("B"), looked] : text("unreached");
    },
  });
  talk.say("both");
  await talk.shows(/✓ executor: part A/u);
  await at.until("the question", () => talk.seen().some(({ text: said }) => said.includes("Go on?")));
  // The account reaches the thread, but the program is killed before it gets the reply to its post.
  at.slack.faults.add("chat.postMessage", { kind: "slow", until: new Promise(() => {}) });
  talk.say("yes");
  await answered(at, talk, "for this managed task");
  expect(at.slack.faults.isPending("chat.postMessage")).toBe(false);
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  await untilIdle(at.bot);
  const [, question, account = "", ...more] = answers(talk);
  expect(question).toContain("Go on?");
  expect(more).toEqual([]);
  expect(account).toMatch(/Stopped at \$0\.1\d+ of \$0\.13 for this managed task/u);
  expect(account).toContain("a.txt was already changed.");
  expect(account).toMatch(/\n✓ executor: part A/u);
  expect(account).toMatch(/\n✗ executor: part B.*did not finish/u);
  expect(at.model.requests).toHaveLength(4);

  // A person's next message gets the whole budget again; runs that an executor's end begins share what is left of it.
  talk.say("once more");
  await answered(at, talk, "C goes on.");
  await gate.reached;
  await at.bot.kill("SIGKILL");
  gate.release();
  await at.bot.start();
  await at.until("the second stop", () => answers(talk).filter((said) => said.includes("managed task")).length === 2);
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(5);
  // The call that the kill cut off is repeated.
  expect(at.model.requests).toHaveLength(9);
});

test("/managed with a preset and off apply to the thread, and are reflected in its tools", async () => {
  const at = managing((request) => {
    if (toolNames(request).includes("write")) return text("I work.");
    const isCareful = JSON.stringify(request.body).includes("Each executor works in a copy of the files");
    return text(isCareful ? "I manage with care." : "I manage.");
  });
  const talk = at.talk({ text: "who are you?", channel: at.channel() });
  await talk.answered(1);
  talk.mention("/managed on careful");
  await at.until("the reply", () =>
    at
      .ephemeralsTo("U0ANA")
      .some((reply) => reply.includes("Managed mode *on*") || reply.includes("Managed mode **on**")),
  );
  talk.say("and now?");
  await answered(at, talk, "I manage with care.");
  talk.mention("/managed off");
  await at.until("the reply", () => at.ephemeralsTo("U0ANA").length === 2);
  talk.say("and now?");
  await talk.answered(3);
  expect(talk.answers()).toEqual(["I manage.", "I manage with care.", "I work."]);
});

const LINES = ["one", "two", "three", "four", "five", "six", "seven"];

/** Makes the directory a person's git repository, with one commit of all files. */
function commitAll(root: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=a@example.org", ...args], { cwd: root });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "as it was");
}

test("executors in worktrees of one repository change nothing until their merge, and a conflict is named", async () => {
  const change = (path: string, from: string, to: string) =>
    toolUse("edit", { path, old_string: from, new_string: to });
  const at = managing();
  const script: Script = (request) => {
    const name = partOf(request);
    const step = JSON.stringify(request.body).split('"tool_result"').length - 1;
    if (name !== undefined) {
      if (step === 0) return [toolUse("read", { path: "port.txt" }), toolUse("read", { path: "lines.txt" })];
      const line = name === "A" ? change("lines.txt", "one", "ONE") : change("lines.txt", "seven", "SEVEN");
      if (step === 2) return [change("port.txt", "8080", name === "A" ? "9090" : "7070"), line];
      if (step === 4) return [toolUse("git", { action: "diff" }), toolUse("git", { action: "log" })];
      return text(`${name} is done.`);
    }
    if (step === 0) return [part("A"), part("B")];
    const ids = [...new Set(conversationOf(request.body).match(/agt_\w+/gu))];
    if (step === 2) return ids.map((id) => toolUse("merge_work", { agent_id: id }));
    return text(`Merged: ${results(request)}`);
  };
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, "port.txt"), "8080\n");
  writeFileSync(path.join(root, "lines.txt"), `${LINES.join("\n")}\n`);
  commitAll(root);
  const before = directoryPrint(path.join(root, ".git"));
  const talk = await managedBy("apart", { channel, script });
  talk.say("change both");
  await answered(at, talk, "Merged:");
  for (const [name, port] of [
    ["A", "9090"],
    ["B", "7070"],
  ]) {
    const looked = at.model.requests.findLast((request) => partOf(request) === name);
    expect(looked === undefined ? "" : results(looked)).toMatch(new RegExp(`-8080\\n\\+${port}[^]*as it was`, "u"));
  }
  expect(directoryPrint(path.join(root, ".git"))).toBe(before);
  const first = at.model.requests.find((request) => partOf(request) === "A");
  expect(JSON.stringify(first?.body)).toContain("You work in your own copy of the files");
  const handed = at.model.requests.find((request) => results(request).includes("In its copy"));
  expect(handed === undefined ? "" : results(handed)).toMatch(
    /A is done\..*changed: lines\.txt\nchanged: port\.txt.*-8080\n\+9090/su,
  );
  expect(readFileSync(path.join(root, "port.txt"), "utf8")).toBe("9090\n");
  expect(readFileSync(path.join(root, "lines.txt"), "utf8")).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
  expect(answers(talk).at(-1)).toContain("conflict: port.txt (the same lines are changed on both sides)");
  expect(answers(talk).at(-1)).toContain("merged: lines.txt (merged with what was changed here)");
  expect(readdirSync(root).sort()).toEqual([".git", "lines.txt", "port.txt"]);
});

test("/undo reverts merged files, and unmerged ones do not count as changed", async () => {
  const at = managing();
  const script: Script = (request) => {
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
  };
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, "port.txt"), "8080\n");
  const talk = await managedBy("apart", { channel, script });
  talk.say("change it");
  await answered(at, talk, "Merged:");
  expect(readFileSync(path.join(root, "port.txt"), "utf8")).toBe("9090\n");
  // The answer arrives a moment before the run ends, and a run at work cannot be undone.
  await untilIdle(at.bot);
  talk.mention("/undo");
  await at.until("the files as they were", () => readFileSync(path.join(root, "port.txt"), "utf8") === "8080\n");
  await at.until("the new file to go", () => !existsSync(path.join(root, "new/A.txt")));
  expect(existsSync(path.join(root, "new/B.txt"))).toBe(false);
});
