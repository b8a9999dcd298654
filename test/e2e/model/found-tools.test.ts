import { expect, test } from "vitest";
import { everything } from "../../features/mcp/connected.ts";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest, Script } from "../../support/model/model-server.ts";
import { asks, cards } from "../../support/talk/approval-talk.ts";
import { conversationOf, type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

const SUM = "mcp__all__get-sum";
const USED = { name: SUM, input: { a: 2, b: 40 } };

/** Says so while the server is not connected yet; then finds its tool and uses it. */
const findsAndUses: Script = ({ body }: RecordedRequest) => {
  const said = conversationOf(body);
  if (said.includes("The sum of 2 and 40 is 42")) return text("It is 42.");
  if (said.includes(`${SUM}: `)) return toolUse("use_tool", USED);
  return JSON.stringify(body).includes("- mcp__all__* (") ? toolUse("tool_search", { query: "sum" }) : text("Not yet.");
};

async function officeWithServer(mode: string): Promise<SlackOffice> {
  const office = await slackOffice({ settings: { mode, mcpServers: { all: everything() } } });
  await office.bot.start();
  office.model.script(({ body }) => text(JSON.stringify(body).includes("- mcp__all__* (") ? "There." : "Not yet."));
  for (let answer = ""; answer !== "There."; ) {
    answer = await office.talk({ text: "hello", channel: office.channel() }).answered(1);
  }
  office.model.forget();
  return office;
}

test("a tool that the model finds is asked for, shown, counted and exported by its own name", async () => {
  await using office = await officeWithServer("write");
  const gate = hold();
  office.model.script((request, index) => {
    const isDone = request.toolResults.some((result) => result.text.includes("42"));
    return isDone ? [gate.part, text("It is 42.")] : findsAndUses(request, index);
  });
  const talk = office.talk({ text: "add 2 and 40", channel: office.channel() });
  await asks(office, talk);
  const card = JSON.stringify(cards(talk));
  expect(card).toContain("Call get-sum of MCP server all?");
  expect(card).not.toContain("use_tool");
  talk.click("approve:y");
  await talk.shows(new RegExp(SUM, "u"));
  gate.release();
  await office.until("the answer", () => talk.answers().includes("It is 42."));
  expect(JSON.stringify(talk.seen())).not.toContain("use_tool");
  expect(office.bot.output()).toContain(`"tool":"${SUM}"`);
  expect(office.bot.output()).not.toContain('"tool":"use_tool"');

  talk.mention("/export");
  const exported = () => [...office.slack.workspace.files.values()].map(({ data }) => String(Buffer.from(data))).join();
  await office.until("the export", () => exported().includes("add 2 and 40"));
  expect(exported()).toContain(SUM);
  // The result of the search says how what it found is called.
  expect(exported().replaceAll("Call with use_tool", "")).not.toContain("use_tool");
  expect(office.model.violations).toEqual([]);
});

test("a bot that is killed while people decide goes on with the real tool once they have", async () => {
  await using office = await slackOffice();
  await office.bot.start();
  const input = { name: "Night watch", prompt: "Look around.", at: "in 2 hours", timezone: "Europe/Paris" };
  office.model.script(({ body, toolResults: [result] }) => {
    if (result === undefined) return toolUse("tool_search", { query: "schedule_job" });
    const isDone = conversationOf(body).includes('use_tool","input');
    return isDone ? text(`It said: ${result.text}`) : toolUse("use_tool", { name: "schedule_job", input });
  });
  const talk = office.talk({ text: "watch at night", channel: office.channel() });
  await asks(office, talk);
  await office.bot.kill("SIGKILL");
  await office.bot.start();
  expect(JSON.stringify(cards(talk))).toContain("Schedule a job?");
  talk.click("approve:y");
  await office.until("the answer", () => talk.answers().some((answer) => answer.startsWith("It said: ")));
  expect(talk.answers().at(-1)).toContain("Night watch");
  expect(talk.answers().at(-1)).not.toContain("not run");
  expect(conversationOf(office.model.requests.at(-1)?.body)).toContain('"name":"schedule_job"');
  expect(office.model.violations).toEqual([]);
});

test("a tool that the model calls by its own name without having found it runs all the same", async () => {
  await using office = await officeWithServer("agi");
  office.model.script(({ toolResults }) =>
    toolResults.length === 0 ? toolUse(SUM, USED.input) : text(`I read: ${toolResults[0]?.text ?? ""}`),
  );
  const talk = office.talk({ text: "add 2 and 40", channel: office.channel() });
  expect(await talk.answered(1)).toContain("The sum of 2 and 40 is 42");
});
