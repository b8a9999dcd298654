import { expect, test } from "vitest";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { agentIds } from "../../support/talk/agent-lines.ts";
import { addJob, ask, reportsUntil, shown, useJobScene } from "../../support/talk/job-scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";
import { answered, answers, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";
import { decidedByItsPerson } from "./decided-by-its-person.ts";

/** A channel in which tools need approval. */
const ASKING = "C9001";
const { slack: playing, scene: jobScene } = useJobScene({
  mode: "agi",
  maxConcurrentRuns: 2,
  channels: { [`slack:${ASKING}`]: { mode: "write" } },
});

const isChild = (request: RecordedRequest) => conversationOf(request.body).includes("Do part ");

/** More sub-agents than the ten whose assignments the thread shows. */
const MANY = Array.from({ length: 24 }, (_, index) => `N${index}`);

test("twenty-four sub-agents with two run slots lead to one answer, and another channel is served in between", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (request.lastUserText.includes("and me?")) return text("You, too.");
    if (isPart(request, "N0")) return [gate.part, text("done 0.")];
    if (MANY.some((name) => isPart(request, name))) return text("done.");
    return request.toolResults.length === 0
      ? MANY.map((name) => part(name))
      : text(`All ${results(request).split(" | ").length}`);
  });
  const talk = at.talk({ text: "all of them", channel: at.channel() });
  await gate.reached;
  const other = at.talk({ text: "and me?", channel: at.channel() });
  await answered(at, other, "You, too.");
  expect(answers(talk)).toEqual([]);
  gate.release();
  await answered(at, talk, "All 24");
  await untilIdle(at.bot);
  expect(answers(talk)).toEqual(["All 24"]);
  expect(talk.answers().filter((answer) => answer.startsWith("→"))).toHaveLength(10);
});

test("a stop while sub-agents are queued ends them as well, before any of them starts", async () => {
  const [a, b] = [hold(), hold()];
  const at = playing((request, index) => {
    if (isChild(request)) return [index === 1 ? a.part : b.part, text("late")];
    return ["A", "B", "C", "D", "E"].map((name) => part(name));
  });
  const talk = at.talk({ text: "all", channel: at.channel() });
  await Promise.all([a.reached, b.reached]);
  await talk.shows(/worker: part E/u);
  talk.click("stop:");
  await talk.shows(/Stopped by @ana/u);
  await untilIdle(at.bot);
  expect(at.model.requests).toHaveLength(3);
});

test("a stop while a sub-agent asks for approval closes its card, and nothing is run", async () => {
  const at = playing((request) =>
    isPart(request, "A") ? toolUse("write", { path: "a.txt", content: "A\n" }) : part("A"),
  );
  const talk = at.talk({ text: "do it", channel: ASKING });
  const card = () => talk.live().find(({ text: said }) => said.includes("a.txt"));
  await at.until("the card", () => card() !== undefined);
  talk.mention("/stop");
  await talk.shows(/Stopped by @ana/u);
  await untilIdle(at.bot);
  await at.until("the card to be closed", () => !talk.live().some(({ text: said }) => said.includes("Waiting for")));
  expect(at.model.requests).toHaveLength(2);
});

test("messages sent while the agent waits for a sub-agent are read together with its report", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (isPart(request, "A")) return [gate.part, text("A is 3.")];
    if (request.toolResults.length === 0) return part("A");
    return text(conversationOf(request.body).includes("in French, please") ? "C'est trois." : "It is three.");
  });
  const talk = at.talk({ text: "how many?", channel: at.channel() });
  await gate.reached;
  await talk.shows(/worker: part A/u);
  await talk.say("in French, please").answered;
  gate.release();
  await answered(at, talk, "C'est trois.");
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(1);
});

test("a report of 200 KB is cut, and mentions in reports and assignments notify nobody", async () => {
  const shout = "<!channel> <@U0BOB> @everyone";
  const at = playing((request) => {
    if (isPart(request, shout)) return text(`${shout} ${"x".repeat(200_000)}`);
    return request.toolResults.length === 0 ? part(shout) : text(`It has ${results(request).length} characters.`);
  });
  const talk = at.talk({ text: "do it", channel: at.channel() });
  await at.until("the answer", () => answers(talk).length > 0);
  expect(Number(/\d+/u.exec(answers(talk)[0] ?? "")?.[0])).toBeLessThan(21_000);
  const raw = at.slack.workspace.messages.filter(({ byBot }) => byBot).map((message) => JSON.stringify(message));
  expect(raw.filter((message) => /<!channel|<@U0BOB>/u.test(message))).toEqual([]);
});

test("a sub-agent of another session can be neither read nor cancelled", async () => {
  const gate = hold();
  const known = { id: "" };
  const at = playing((request) => {
    if (isPart(request, "A")) return [gate.part, text("secret")];
    if (request.lastUserText.includes("theirs"))
      return toolUse("agent_output", { agent_id: known.id, action: "cancel" });
    if (results(request).includes("no sub-agent")) return text(results(request));
    known.id = agentIds(request)[0] ?? known.id;
    return request.toolResults.length === 0 ? part("A", { run_in_background: true }) : text("Under way.");
  });
  const mine = at.talk({ text: "begin", channel: at.channel() });
  await answered(at, mine, "Under way.");
  const other = at.talk({ text: "stop theirs", channel: at.channel() });
  await answered(at, other, "Your sub-agents: none.");
  gate.release();
  await at.until("the report", () => at.model.requests.some((request) => request.lastUserText.includes("secret")));
  expect(at.model.requests.filter(isChild).length).toBeGreaterThan(0);
});

test("a job's time limit includes its sub-agents, also across a restart, and stops them", async () => {
  const scene = jobScene();
  const [first, again] = [hold(), hold()];
  scene.model.script((request) => (isPart(request, "A") ? [first.part, again.part, text("late")] : part("A")));
  await addJob(scene, '--name "Slow" --cron "0 0 1 1 *" --timeout 6 --prompt "Hand it on."');
  await ask(scene, "/jobs run Slow");
  await first.reached;
  await scene.bot.kill("SIGKILL");
  first.release();
  await scene.bot.start();
  await again.reached;
  const [line] = await reportsUntil(scene, 1);
  expect(line === undefined ? "" : shown(scene, line)).toContain("stopped by its time limit of 6 s");
  const child = scene.model.requests.findLast((request) => isPart(request, "A"));
  expect(await child?.ended).toBe("aborted");
});

test("with one run slot, a waiting parent releases it to its sub-agents", async () => {
  const gate = hold();
  const at = playing((request) => {
    if (request.lastUserText.includes("keep busy")) return [gate.part, text("Done.")];
    if (isPart(request, "A")) return text("A is 3.");
    if (isPart(request, "B")) return text("B is 4.");
    return request.toolResults.length === 0 ? [part("A"), part("B")] : text(`Both: ${results(request)}`);
  });
  const busy = at.talk({ text: "keep busy", channel: at.channel() });
  await gate.reached;
  const talk = at.talk({ text: "both", channel: at.channel() });
  await answered(at, talk, "Both: A is 3. | B is 4.");
  gate.release();
  await answered(at, busy, "Done.");
});

test("on SQLite a sub-agent's card and question name it, and its requester decides and answers", async () => {
  await decidedByItsPerson(playing(), ASKING);
});
