import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { httpServer } from "../../features/mcp/http-server.ts";
import { hold, type Reply, text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { until } from "../../support/program/bot.ts";
import { addJob, ask, askUntil, below, reports, type SlackScene, shown } from "../../support/talk/job-scene.ts";
import { slackScene } from "../../support/talk/scene.ts";
import { background, isPart, part } from "../../support/talk/sub-agent-talk.ts";

/** Longer than any test: what is to be cut off would end by itself after that. Seconds. */
const FOREVER_S = 600;
/** A shell at work writes so often that a file this old is nobody's any more. Milliseconds. */
const STILL_MS = 1_500;

/** Says that it is alive five times a second. */
const beating = toolUse("bash", {
  command: "while true; do echo beat >> beats.txt; sleep 0.2; done",
  timeout: FOREVER_S,
});

interface Case {
  readonly name: string;
  /** What the job's run does, and what its sub-agent does. */
  readonly run: (request: RecordedRequest) => Reply;
  readonly child?: (request: RecordedRequest) => Reply;
  readonly flags?: string;
}

test("a run that has had its time ends with all it has begun: a shell, a server's call, sub-agents and what they wait for", async () => {
  const server = await httpServer(() => {}); // answers no call
  await using scene = await slackScene({ settings: { mcpServers: { slow: { url: server.url } } } });
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
  await scene.bot.start();
  const serverSees = (wanted: string) => () => server.seen.some(({ method }) => method === wanted);
  await until(serverSees("tools/list"), limit(scene, "the server's tools"));
  for (const [index, { name, flags = "--mode agi" }] of cases.entries()) {
    const words = `--name ${name} --cron "0 0 1 1 *" --timeout 10 --prompt "Do as ${name} does." ${flags}`;
    await addJob(scene, words, channelOf(index));
  }
  for (const { name } of cases) await ask(scene, `/jobs run ${name}`);
  await until(serverSees("tools/call"), limit(scene, "the server's call"));

  const lineOf = (index: number) =>
    reports(scene, channelOf(index))
      .flatMap((post) => [shown(scene, post), ...below(scene, post).map((reply) => reply.text)])
      .find((line) => line.includes("timed out, stopped by its time limit of 10 s"));
  for (const [index, { name }] of cases.entries()) {
    await until(() => lineOf(index) !== undefined, limit(scene, `the line of ${name}`));
    expect(lineOf(index)).toContain(`✗ **${name}**`);
  }
  expect(server.seen.map(({ method }) => method)).toContain("notifications/cancelled");
  for (const index of [0, 3]) {
    const beats = path.join(scene.bot.sandboxRoot(`slack-${channelOf(index)}`), "beats.txt");
    expect(existsSync(beats)).toBe(true);
    await until(() => Date.now() - statSync(beats).mtimeMs > STILL_MS, limit(scene, `${beats} to grow no more`));
  }
  // The model's calls that were cut off: Thinker's sub-agent, Beside's run and its sub-agent.
  const cut = (await Promise.all(ends)).filter((end) => end === "aborted");
  expect(cut).toHaveLength(3);
  const [card] = reports(scene, channelOf(4));
  expect(card?.blocks).toBeDefined();
  expect(JSON.stringify(card?.blocks)).not.toContain("approve:y");
  for (const { name } of cases) await askUntil(scene, `/jobs logs ${name}`, "✗ timed out");
});

function channelOf(index: number): string {
  return `C000${index + 2}`;
}

function limit(scene: SlackScene, what: string) {
  return { what: () => `${what}; the bot said:\n${scene.bot.output()}` };
}
