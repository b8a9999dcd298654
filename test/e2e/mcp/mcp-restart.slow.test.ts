import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hostile } from "../../features/mcp/connected.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import { untilConnected } from "../../support/program/bot.ts";
import { playEach } from "../../support/talk/agent-lines.ts";
import { asks, cards } from "../../support/talk/approval-talk.ts";
import { conversationOf, slackOffice } from "../../support/talk/slack-talk.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** Ids of the processes whose environment contains this mark. */
function processesWith(mark: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, "utf8").includes(mark);
      const isOver = /^State:\s+Z/mu.test(readFileSync(`/proc/${name}/status`, "utf8"));
      return isOurs && !isOver ? [Number(name)] : [];
    } catch {
      // The process has ended in the meantime or belongs to another user.
      return [];
    }
  });
}

/** Runs a server's command line in a shell, between other commands, as npx does. */
function inShell(before: string, { command, args = [] }: ReturnType<typeof hostile>, after = "") {
  const line = [command, ...args].map((word) => `'${word}'`).join(" ");
  return { command: "/bin/sh", args: ["-c", `${before}${line}${after}`] };
}

/**
 * Two servers that are hard to end, and the mark in their environment. Null where there is no /proc to search for it.
 */
function lasting() {
  const [name, value] = ["DECKHAND_TEST_MARK", `${process.pid}-${Date.now()}`];
  const env = { [name]: value };
  // Neither the end of its input nor SIGTERM ends it. The other server is wrapped in a shell, which makes two
  // processes.
  const stubborn = hostile("stubborn", { env });
  const wrapped = { ...inShell("", hostile("stubborn"), "; exit"), env };
  return process.platform === "linux" ? { mark: `${name}=${value}`, servers: { stubborn, wrapped } } : null;
}

test("a bot killed while people decide leaves no server running, and continues with the real tool once its server is connected", async () => {
  const gate = path.join(tempDirectory(), "may-start");
  const slow = inShell(`until [ -e '${gate}' ]; do sleep 0.05; done; exec `, hostile());
  const left = lasting();
  await using at = await slackOffice({ settings: { mcpServers: { slow, ...left?.servers } } });
  writeFileSync(gate, "");
  const job = { name: "Night watch", prompt: "Look around.", at: "in 2 hours", timezone: "Europe/Paris" };
  const requestsOf = playEach(at.model, {
    "do it": ({ toolResults }) =>
      toolResults.length > 0
        ? text(`It said: ${toolResults.map((result) => result.text).join()}`)
        : toolUse("mcp__slow__structured", {}),
    "watch at night": ({ body, toolResults: [result] }) => {
      if (result === undefined) return toolUse("tool_search", { query: "schedule_job" });
      const isDone = conversationOf(body).includes('use_tool","input');
      return isDone ? text(`It said: ${result.text}`) : toolUse("use_tool", { name: "schedule_job", input: job });
    },
  });
  await at.bot.start();
  await untilConnected(at.bot, "slow");
  const talk = at.talk({ text: "do it", channel: at.channel() });
  const scheduling = at.talk({ text: "watch at night", channel: at.channel() });
  await Promise.all([asks(at, talk), asks(at, scheduling)]);
  if (left !== null) await at.until("the servers", () => processesWith(left.mark).length === 3);
  rmSync(gate);
  await at.bot.kill("SIGKILL");
  if (left !== null) await at.until("their end", () => processesWith(left.mark).length === 0);
  await at.bot.start();

  const said = (of: typeof talk) => of.answers().find((each) => each.startsWith("It said: "));
  expect(JSON.stringify(cards(scheduling))).toContain("Schedule a job?");
  scheduling.click("approve:y");
  await at.until("the schedule", () => said(scheduling) !== undefined);
  expect(said(scheduling)).toContain("Night watch");
  expect(said(scheduling)).not.toContain("not run");
  expect(conversationOf(requestsOf("watch at night").at(-1)?.body)).toContain('"name":"schedule_job"');

  talk.click("approve:y");
  const running = async () => (await at.bot.probe("metrics")).text.includes('deckhand_runs{state="running"} 1');
  await at.until("the run to go on", running);
  writeFileSync(gate, "");
  await at.until("the answer", () => said(talk) !== undefined);
  expect(said(talk)).toContain("21");
  expect(at.model.violations).toEqual([]);
});
