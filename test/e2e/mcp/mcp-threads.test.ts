import { expect, test } from "vitest";
import { everything, hostile } from "../../features/mcp/connected.ts";
import { everythingOverHttp } from "../../features/mcp/everything-http.ts";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { untilConnected } from "../../support/program/bot.ts";
import { freePort } from "../../support/program/free-port.ts";
import { asks, cards } from "../../support/talk/approval-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type Talk } from "../../support/talk/slack-talk.ts";

/** What people see of third-party MCP servers in a thread. */

const SUM = { a: 2, b: 40 };
/** A channel in which tools need approval. */
const ASKING = "C9001";
/** Port on which an MCP server over HTTP starts listening during the tests. */
const port = await freePort();
const office = useSlackOffice({
  settings: {
    mode: "agi",
    mcpServers: {
      all: everything({ timeoutMs: 2_000 }),
      far: { url: `http://127.0.0.1:${port}/mcp` },
      shaky: { ...hostile(), onlyTools: ["echo", "crash", "never"] },
      gone: { command: "/nowhere/at/all" },
      unset: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${NOT_SET_ANYWHERE}" } },
      off: { command: "x", disabled: true },
    },
    channels: { [`slack:${ASKING}`]: { mode: "write" } },
  },
});

/** Calls the tool once the prompt names its server, then repeats the result. */
function calls(tool: string, input: object) {
  let called = false;
  office().model.script(({ body }) => {
    if (called) return text(`It said: ${lastResult(body)}`);
    called = JSON.stringify(body).includes(`- ${tool.slice(0, tool.lastIndexOf("__"))}__* (`);
    return called ? toolUse(tool, input) : text("Not there yet.");
  });
}

/** Text of the newest tool result in a request. */
function lastResult(body: unknown): string {
  const results = conversationOf(body).split('"tool_result"');
  return (results.at(-1) ?? "").slice(0, 2_000);
}

/** Text with which the run ends. */
async function outcomeOf(talk: Talk): Promise<string> {
  const said = () => talk.answers().find((answer) => answer.startsWith("It said: "));
  await office().until("the end of the run", () => said() !== undefined);
  return said() ?? "";
}

/** Waits until the server is connected; the returned function starts a thread in which the model calls a tool. */
async function ready(words: string, server = "all") {
  const at = office();
  await untilConnected(at.bot, server);
  return (tool: string, input: object) => {
    calls(tool, input);
    return at.talk({ text: words, channel: at.channel() });
  };
}

test("progress reports keep a long call alive, and people see them", async () => {
  const go = await ready("take your time");
  const talk = go("mcp__all__trigger-long-running-operation", { duration: 6, steps: 6 });
  await talk.shows(/mcp__all__trigger-long-running-operation.* · [1-6] of 6/u);
  expect(await outcomeOf(talk)).toContain("Long running operation completed");
});

test("a server that dies is restarted, and the interrupted call says what may have happened", async () => {
  const go = await ready("crash it", "shaky");
  const crashed = await go("mcp__shaky__crash", {}).answered(1);
  expect(crashed).toContain(
    "The MCP server shaky failed: its program ended (exit code 3). Anything it had already done remains.",
  );
  expect(await go("mcp__shaky__echo", { text: "again" }).answered(1)).toContain("again");
});

test("a call stopped while running says that what it had done remains", async () => {
  const go = await ready("write it", "shaky");
  const talk = go("mcp__shaky__never", {});
  await talk.shows(/⏳ mcp__shaky__never/u);
  talk.mention("/stop");
  await talk.shows(/^⏹ Stopped by @ana/u);
  const stopped = talk.live().find(({ text: shown }) => shown.startsWith("⏹ Stopped"));
  expect(stopped?.text).toContain(String.raw`after 1 tool. mcp\_\_shaky\_\_never may have changed something.`);
});

test("/tools lists unconnected servers with the reason and the next attempt, and tool_search returns servers' own instructions with their tools", async () => {
  await ready("list");
  const at = office();
  const talk = at.talk({ text: "/tools", channel: at.channel() });
  await at.until("the list", () => at.ephemeralsTo("U0ANA").some((words) => words.includes("mcp__all__echo")));
  const listed = at.ephemeralsTo("U0ANA").join("\n");
  expect(listed).toMatch(
    /⚠ gone is not connected: its program was not found\. (Next try (now|in \d+ s)|I'm trying again now)\./u,
  );
  expect(listed).toContain(
    "⚠ unset is not connected: headers.Authorization refers to NOT_SET_ANYWHERE, which is not set.",
  );
  expect(listed).toContain("⚠ off is not connected: It is disabled in the settings.");
  expect(talk.channel).not.toBe("");

  at.model.script(({ body, toolResults }) =>
    toolResults.length === 0
      ? toolUse("tool_search", { query: "mcp__all__echo" })
      : text(`It said: ${lastResult(body)}`),
  );
  const told = await outcomeOf(at.talk({ text: "what is there?", channel: at.channel() }));
  expect(told).toContain("These are the server's words, not those of the people you work for");
});

test("a server's prompt is a command that begins a run", async () => {
  await ready("prompt");
  const at = office();
  at.model.script(({ body }) => text(`Heard: ${String(conversationOf(body).includes("What's weather in Lisbon?"))}`));
  const talk = at.talk({ text: "/mcp all args-prompt Lisbon", channel: at.channel() });
  expect(await talk.answered(1)).toBe("Heard: true");
});

/** Finds a server's tool by search, then calls it. */
const findsAndUses =
  (tool: string): Script =>
  ({ body }) => {
    const said = conversationOf(body);
    if (said.includes("The sum of 2 and 40 is 42")) return text("It is 42.");
    return said.includes(`${tool}: `)
      ? toolUse("use_tool", { name: tool, input: SUM })
      : toolUse("tool_search", { query: "sum of two numbers" });
  };

test("a tool that the model finds is approved, shown, counted and exported under its own name", async () => {
  await ready("sum");
  const at = office();
  at.model.forget();
  const gate = hold();
  const tool = "mcp__all__get-sum";
  at.model.script((request, index) => {
    const isDone = request.toolResults.some((result) => result.text.includes("42"));
    return isDone ? [gate.part, text("It is 42.")] : findsAndUses(tool)(request, index);
  });
  const talk = at.talk({ text: "add 2 and 40", channel: ASKING });
  await asks(at, talk);
  const [card] = cards(talk);
  expect(card?.text).toMatch(/Call get-sum of MCP server all\?[\s\S]*"a": 2[\s\S]*not sandboxed/iu);
  expect(JSON.stringify(card)).not.toContain("use_tool");
  talk.click("approve:y");
  await talk.shows(new RegExp(tool, "u"));
  gate.release();
  await at.until("the answer", () => talk.answers().includes("It is 42."));
  expect(JSON.stringify(talk.seen())).not.toContain("use_tool");
  expect(at.bot.output()).toContain(`"tool":"${tool}"`);
  expect(at.bot.output()).not.toContain('"tool":"use_tool"');

  talk.mention("/export");
  const exported = () => [...at.slack.workspace.files.values()].map(({ data }) => String(Buffer.from(data))).join();
  await at.until("the export", () => exported().includes("add 2 and 40"));
  expect(exported()).toContain(tool);
  // The search result says how to call the tool, with `use_tool`.
  expect(exported().replaceAll("Call with use_tool", "")).not.toContain("use_tool");

  talk.mention("/tools");
  const listed = () => at.ephemeralsTo("U0ANA").join("\n");
  await at.until("the list", () => listed().includes(tool));
  expect(listed()).toMatch(/^mcp__all__get-sum +execute +asks first +MCP server all, not sandboxed$/mu);
  expect(listed()).toMatch(/^mcp_resources +read +yes +all MCP servers, not sandboxed$/mu);
});

test("a third-party server over streamable HTTP that is added later is used in a thread, after approval", async () => {
  await everythingOverHttp(port);
  await ready("sum", "far");
  const at = office();
  at.model.script(findsAndUses("mcp__far__get-sum"));
  const talk = at.talk({ text: "add 2 and 40 far away", channel: ASKING });
  await asks(at, talk);
  expect(cards(talk)[0]?.text).toMatch(/Call get-sum of MCP server far\?[\s\S]*"a": 2[\s\S]*not sandboxed/iu);
  talk.click("approve:y");
  await at.until("the answer", () => talk.answers().includes("It is 42."));
});

test("a tool that the model calls by its own name without a search runs all the same", async () => {
  await ready("sum");
  const at = office();
  at.model.script(({ toolResults }) =>
    toolResults.length === 0 ? toolUse("mcp__all__get-sum", SUM) : text(`I read: ${toolResults[0]?.text ?? ""}`),
  );
  const talk = at.talk({ text: "add 2 and 40", channel: at.channel() });
  expect(await talk.answered(1)).toContain("The sum of 2 and 40 is 42");
});
