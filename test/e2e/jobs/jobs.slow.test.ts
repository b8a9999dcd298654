import { writeFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { hold, text, toolUse, unauthorized, usage } from "../../support/model/model-script.ts";
import { until, untilIdle } from "../../support/program/bot.ts";
import type { SlackMessage } from "../../support/slack/slack-model.ts";
import { playEach } from "../../support/talk/agent-lines.ts";
import {
  addJob,
  ask,
  askUntil,
  reports,
  reportsUntil,
  type SlackScene,
  saidBelow,
  shown,
  useJobScene,
} from "../../support/talk/job-scene.ts";

const PLACES = 4;
const { scene: stage, discord } = useJobScene({ mode: "agi", maxConcurrentRuns: PLACES });

test("a report is posted when due, and a reply in its thread continues its session", async () => {
  const scene = stage();
  scene.model.script((_request, index) => text(index === 0 ? "All is quiet." : "As I said, all is quiet."));
  await addJob(scene, '--name "Night watch" --at "in 1 s" --timezone Europe/Paris --prompt "Look around."');
  const [report] = await reportsUntil(scene, 1);
  if (report === undefined) throw new Error("no report");
  const said = shown(scene, report);
  expect(said).toContain("**Night watch** · once, on ");
  expect(said).toContain("All is quiet.");
  scene.slack.people.say({ text: "Really?", channel: report.channel, threadTs: report.ts });
  const thread = () => scene.slack.thread(report.channel, report.ts).filter(({ byBot }) => byBot);
  await until(() => thread().some((message) => message.text.includes("As I said")), {
    what: () => JSON.stringify(thread()),
  });
  const asked = JSON.stringify(scene.model.requests[1]?.body);
  expect(asked).toContain("All is quiet.");
  expect(asked).toContain("Really?");
});

test("a run that exceeds its time limit is stopped on time, which log and channel report", async () => {
  const scene = stage();
  const gate = hold();
  scene.model.script(() => [text("I look"), gate.part]);
  await addJob(scene, '--name "Slow" --cron "0 0 1 1 *" --timeout 2 --prompt "Take your time."');
  const asked = performance.now();
  await ask(scene, "/jobs run Slow");
  await gate.reached;
  const [line] = await reportsUntil(scene, 1);
  expect(performance.now() - asked).toBeGreaterThan(2_000);
  expect(line === undefined ? "" : shown(scene, line)).toMatch(
    /^✗ \*\*Slow\*\* · timed out, stopped by its time limit of 2 s.*\nNext try Fri 1 Jan 2027 00:00\./su,
  );
  await askUntil(scene, "/jobs logs Slow", "✗ timed out");
});

test("a run that would exceed its budget stops beforehand with a message", async () => {
  const scene = stage();
  // Output costs $10 per million tokens.
  scene.model.script(() => [toolUse("glob", { pattern: "*" }), usage({ input: 0, output: 20_000 })]);
  await addJob(scene, '--name "Dear" --cron "0 0 1 1 *" --budget 0.201 --prompt "Look."');
  await ask(scene, "/jobs run Dear");
  const [line] = await reportsUntil(scene, 1);
  expect(line === undefined ? "" : shown(scene, line)).toContain(
    "✗ **Dear** · Stopped at $0.20 of $0.20 for this run of the job; the next call could pass the limit. This is the job's own budget; `/jobs edit` with `--budget` raises it.",
  );
  expect(scene.model.requests).toHaveLength(1);
});

test("failures are reported with the next attempt, and the maximum in a row pauses the job", async () => {
  const scene = stage();
  scene.model.script(() => unauthorized());
  await addJob(scene, '--name "Locked" --cron "* * * * * *" --pause-after 2 --prompt "Look."');
  const [first, second] = await reportsUntil(scene, 2);
  if (first === undefined || second === undefined) throw new Error("too few");
  expect(shown(scene, first)).toContain("✗ **Locked** · Anthropic does not accept the key.");
  expect(shown(scene, first)).toContain("Next try ");
  expect(shown(scene, second)).toContain("⏸ Paused after 2 failures in a row");
  await askUntil(scene, "/jobs list", "paused: It failed 2 times in a row.");
  expect(reports(scene)).toHaveLength(2);
});

test("a job requested in natural language is scheduled by the model after an approval that shows the due time", async () => {
  const scene = stage();
  const job = { name: "Morning", prompt: "Post the open tickets.", cron: "0 9 * * 1-5", timezone: "Europe/Paris" };
  scene.model.script((request, index) => {
    if (index === 0) return toolUse("schedule_job", job);
    return text(request.toolResults.map((result) => result.text).join());
  });
  const thread = scene.mention("every weekday at nine in Paris post the open tickets");
  const asked = await thread.until((all) => all.some(({ buttons }) => buttons.some((id) => id.startsWith("approve:"))));
  const card = asked.find(({ buttons }) => buttons.some((id) => id.startsWith("approve:")));
  expect(card?.text).toContain("Morning: every weekday at 09:00 Europe/Paris");
  expect(card?.text.match(/^- (Mon|Tue|Wed|Thu|Fri) \d+ \w+ \d{4} 09:00$/gmu)).toHaveLength(3);
  expect(await ask(scene, "/jobs list")).not.toContain("**Morning**");
  const allow = card?.buttons.find((id) => id.startsWith("approve:y:")) ?? "";
  thread.click(allow);
  await thread.until((all) =>
    all.some((message) => message.text.includes("✓ **Morning** · every weekday at 09:00 Europe/Paris")),
  );
  expect(await ask(scene, "/jobs list")).toContain("**Morning**");
});

test("the buttons below a report rerun and pause the job, for its owner only", async () => {
  const scene = stage();
  scene.model.script((_request, index) => text(`Report ${index + 1}.`));
  await addJob(scene, '--name "Watch" --cron "0 9 * * *" --timezone Europe/Paris --prompt "Look."');
  await ask(scene, "/jobs run Watch");
  const [report] = await reportsUntil(scene, 1);
  if (report === undefined) throw new Error("no report");
  expect(shown(scene, report)).toContain("**Watch** · every day at 09:00 Europe/Paris\n\nReport 1.");
  const button = (verb: string) =>
    scene.slack.thread(report.channel, report.ts)[0]?.buttons.find(({ id }) => id.startsWith(verb))?.id ?? "";
  await scene.slack.people.click(report.channel, report.ts, { actionId: button("job-pause:"), user: "U0BOB" }).answered;
  const { ephemerals } = scene.slack.workspace;
  await until(() => ephemerals.some(({ user, text }) => user === "U0BOB" && text.includes("is @ana's")), {
    what: () => "bob to be told",
  });
  expect(await ask(scene, "/jobs list")).toContain("✓ **Watch**");
  await untilIdle(scene.bot);
  await scene.slack.people.click(report.channel, report.ts, { actionId: button("job-run:") }).answered;
  await reportsUntil(scene, 2);
  await scene.slack.people.click(report.channel, report.ts, { actionId: button("job-pause:") }).answered;
  await askUntil(scene, "/jobs list", "⏸ **Watch**");
});

test("on Discord, a thread opened at the report continues its session", async () => {
  const office = discord();
  office.model.script((_request, index) => text(index === 0 ? "All is quiet." : "As I said."));
  const channel = office.channel("watch");
  office.mention(channel, '/jobs add --name "Pier watch" --at "in 1 s" --prompt "Look around."');
  const report = () => channel.messages.find(({ content }) => content.includes("All is quiet."));
  await office.until(`the report\n${office.bot.output()}`, () => report() !== undefined);
  const thread = office.discord.world.thread(channel, "Pier watch", report()?.id);
  office.discord.people.say({ channel: thread, user: office.ana }, "Really?");
  await office.until("the answer", () => thread.messages.some(({ content }) => content.includes("As I said.")));
  expect(JSON.stringify(office.model.requests[1]?.body)).toContain("All is quiet.");
});

describe("killed with SIGKILL", () => {
  /** Waits until no run is running or waiting. */
  async function idle({ bot }: SlackScene): Promise<void> {
    await until(
      async () => {
        const { text: metrics } = await bot.probe("metrics");
        return /deckhand_runs\{state="running"\} 0/.test(metrics) && /deckhand_runs\{state="waiting"\} 0/.test(metrics);
      },
      { what: () => "the runs to end" },
    );
  }

  async function expectOneReport(scene: SlackScene): Promise<SlackMessage> {
    const [report] = await reportsUntil(scene, 1);
    await idle(scene);
    expect(reports(scene).map((message) => shown(scene, message))).toEqual([expect.stringContaining("All is quiet.")]);
    if (report === undefined) throw new Error("no report");
    return report;
  }

  /** Job names are unique within one program. */
  const jobOf = (name: string) => `--name "${name}" --at "in 1 s" --prompt "Look around."`;

  /** Writes a jobs file with one good and one bad entry, and makes a job's row unreadable. */
  function spoil({ bot, slack, channel }: SlackScene): void {
    const database = new BetterSqlite3(path.join(bot.home, "data/deckhand.db"));
    database.prepare("UPDATE Job SET thread = '{', timeoutMs = 'soon', cron = '* * * * *' WHERE name = 'Broken'").run();
    database.close();
    const entry = { channel: `slack:${slack.workspace.teamId}/${channel}`, prompt: "Look.", owner: "slack:U0ANA" };
    const file = [
      { ...entry, name: "From git", cron: "* * * * * *" },
      { ...entry, name: "Nonsense", cron: "61 * * * *" },
    ];
    writeFileSync(path.join(bot.home, "data/jobs.json"), JSON.stringify(file));
  }

  // This test is the last one because the job of its file runs every second from then on.
  test("a due time still leads to one report, and corrupt rows and file entries affect no other job", async () => {
    const [busy, runs, waits, lost, late, bad] = [stage(), stage(), stage(), stage(), stage(), stage()];
    const [idling, gate] = [hold(), hold()];
    const requestsOf = playEach(busy.model, {
      "keep busy": (_request, index) => (index === 0 ? [idling.part] : text("Done.")),
      "Second watch": (_request, index) => (index === 0 ? [text("All"), gate.part] : text("All is quiet.")),
      "Third watch": (_request, index) => text(index === 0 ? "All is quiet." : "As I said."),
      "Fourth watch": () => text("All is quiet."),
      "Late watch": () => text("All is quiet."),
      "From git": () => text("All is quiet."),
    });
    await addJob(bad, '--name "Broken" --cron "0 0 1 1 *" --prompt "Look."');
    // The kill hits this job between its post and the reply to the post.
    await addJob(lost, jobOf("Third watch"));
    lost.loseReplies();
    await reportsUntil(lost, 1);
    // The kill hits this job before its post reaches the platform.
    const { faults } = late.slack;
    faults.add("chat.postMessage", { kind: "late", until: new Promise(() => {}) });
    await addJob(late, jobOf("Late watch"));
    await until(() => requestsOf("Late watch").length > 0 && !faults.isPending("chat.postMessage"), {
      what: () => late.bot.output(),
    });
    // The kill hits one job during its run, and one between the claim of its due time and its run.
    busy.mention("keep busy");
    await idling.reached;
    await addJob(runs, jobOf("Second watch"));
    await gate.reached;
    await addJob(waits, jobOf("Fourth watch"));
    await until(async () => /state="waiting"\} 1/.test((await busy.bot.probe("metrics")).text), {
      what: () => "the job to wait for its run",
    });
    await busy.bot.kill("SIGKILL");
    expect(reports(late)).toEqual([]);
    spoil(bad);
    await busy.bot.start();
    for (const scene of [runs, waits, late]) await expectOneReport(scene);
    for (const name of ["Fourth watch", "Late watch"]) expect(requestsOf(name)).toHaveLength(1);
    await askUntil(late, '/jobs logs "Late watch"', "✓ ");

    const report = await expectOneReport(lost);
    expect(requestsOf("Third watch")).toHaveLength(1);
    lost.slack.people.say({ text: "Really?", channel: report.channel, threadTs: report.ts });
    await saidBelow(lost, report, "As I said.");
    expect(JSON.stringify(requestsOf("Third watch")[1]?.body)).toContain("All is quiet.");

    const [first] = await reportsUntil(bad, 1);
    expect(first === undefined ? "" : shown(bad, first)).toContain("**From git**");
    expect(bad.bot.output()).toContain("entry 2: `61 * * * *` is not a cron expression: Invalid value for minute: 61.");
    expect(await ask(bad, "/jobs list")).toContain("from the jobs file");
    expect(await ask(bad, '/jobs edit "From git" --timeout 5')).toContain("is defined in the jobs file");
  });
});
