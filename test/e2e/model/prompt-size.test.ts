import { expect, test } from "vitest";
import { everything } from "../../features/mcp/connected.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { partsOf, specsOf, systemOf, toolsOf } from "../../support/model/request-parts.ts";
import { untilConnected, untilIdle } from "../../support/program/bot.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";
import { answers, isPart, part } from "../../support/talk/sub-agent-talk.ts";

/** Maximum bytes of all tools and the system prompt on the wire. */
const MAX_BYTES = 12_000;
/** Maximum bytes of one MCP server's line, and of the tool that all servers share. */
const SERVER_BYTES = 100;
const SHARED_BYTES = 80;

const ALL_ON = { mode: "agi", webSearch: { service: "tavily", apiKey: "key" } } as const;
const SERVERS = { hub: everything(), depot: everything() };

function sizeOf({ body }: RecordedRequest): number {
  return partsOf(body).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Managed mode is off until somebody turns it on in a thread. */
const MANAGED = { enabled: false, executorIsolation: true };

/** Starts the program with all tools and waits for extensions and MCP servers, which load a moment after the start. */
async function officeWith(settings: object): Promise<SlackOffice> {
  const office = await slackOffice({ settings: { ...ALL_ON, managedAgents: MANAGED, ...settings } });
  await office.bot.start();
  const servers = "mcpServers" in settings ? Object.keys(SERVERS) : [];
  const lines = ["- chart: ", "- csv_query: ", ...servers.map((name) => `- mcp__${name}__*`)];
  for (const name of servers) await untilConnected(office.bot, name);
  const isReady = () => lines.every((line) => JSON.stringify(office.model.requests.at(-1)?.body ?? "").includes(line));
  while (!isReady()) await office.talk({ text: "hello", channel: office.channel() }).answered(1);
  return office;
}

let served: SlackOffice;

useShared(
  async () => {
    served = await officeWith({ mcpServers: SERVERS });
  },
  () => served[Symbol.asyncDispose](),
);

/** Size of the newest request, which answers a hello. */
function helloOf(office: SlackOffice): number {
  const request = office.model.requests.at(-1);
  if (request === undefined) throw new Error("no request");
  expectWithin([request]);
  return sizeOf(request);
}

function expectWithin(requests: readonly RecordedRequest[]): void {
  for (const request of requests) {
    expect(sizeOf(request), JSON.stringify(partsOf(request.body), null, 1)).toBeLessThanOrEqual(MAX_BYTES);
  }
}

test("a first request has at most 12,000 bytes with every feature on, with one line per MCP server", async () => {
  await using plain = await officeWith({});
  const [without, withServers] = [helloOf(plain), helloOf(served)];
  for (const { name, input_schema: schema } of specsOf(served.model.requests.at(-1)?.body)) {
    const types = Object.entries(schema.properties).map(([argument, given]) => [
      argument,
      "type" in given || "anyOf" in given,
    ]);
    expect({ name, types }).toEqual({ name, types: types.map(([argument]) => [argument, true]) });
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(schema.required));
  }
  expect(withServers).toBeGreaterThan(without);
  expect(withServers - without).toBeLessThanOrEqual(2 * SERVER_BYTES + SHARED_BYTES);
});

test("requests of a sub-agent, of a job and of plan mode stay within their size limits", async () => {
  const office = served;
  office.model.forget();
  const planning = toolUse("use_tool", { name: "enter_plan_mode" });
  office.model.script((request) => {
    if (request.toolResults.length > 0 || isPart(request, "A")) return text("Done.");
    return request.lastUserText.includes("the steps") ? text("Looked.") : [part("A"), planning];
  });
  const talk = office.talk({ text: "begin", channel: office.channel() });
  await office.until("the answer", () => answers(talk).includes("Done."));
  talk.mention("the steps");
  await office.until("the plan's answer", () => answers(talk).includes("Looked."));
  const job = '--name "Night watch" --at "in 1 s" --timezone Europe/Paris --prompt "Please look around."';
  await office.slack.people.command("/jobs", `add ${job}`, { channel: talk.channel }).answered;
  const ofJob = () => office.requestsAbout("Please look around.");
  await office.until("the job's request", () => ofJob().length > 0);

  const { requests, violations } = office.model;
  expect(requests.filter((request) => isPart(request, "A"))).toHaveLength(1);
  expect(systemOf(office.requestsAbout("the steps").at(-1)?.body)).toContain("Plan mode is on");
  expectWithin(requests);
  expect(violations).toEqual([]);
});

test("requests of a manager and its executor stay within their size limits, and only managers get merge instructions", async () => {
  const office = served;
  office.model.script(() => text("Hello."));
  const talk = office.talk({ text: "hello", channel: office.channel() });
  await talk.answered(1);
  await untilIdle(office.bot);
  talk.mention("/managed on");
  await office.until("that it is on", () => office.ephemeralsTo("U0ANA").some((told) => told.includes("Managed mode")));
  office.model.forget();
  office.model.script((request) =>
    request.toolResults.length > 0 || isPart(request, "A") ? text("Done.") : part("A"),
  );
  talk.mention("begin");
  await office.until("the answer", () => answers(talk).includes("Done."));
  const { requests } = office.model;
  const merging = requests.map((request) => [isPart(request, "A"), toolsOf(request.body).includes("merge_work")]);
  expect(merging).toEqual([
    [false, true],
    [true, false],
    [false, true],
  ]);
  expectWithin(requests);
});
