import { expect, test } from "vitest";
import type { CommandReply } from "../../src/core/command-line/command.ts";
import { jobsCommand } from "../../src/core/commands/jobs.ts";
import type { JobRequest } from "../../src/core/jobs/job-control.ts";
import type { Form, FormValues } from "../../src/core/protocol/form.ts";
import { commandServices } from "../support/command-services.ts";
import { countingIds, seededRandom } from "../support/runtime.ts";
import { skillNamed } from "../support/skill-file.ts";
import { CHANNEL, openWorld, type World } from "./world.ts";

const ANA = { id: "slack:U1", name: "ana", roles: [] };

interface Typing {
  readonly person?: JobRequest["person"];
  readonly filled?: FormValues;
}

function type(world: World, line: string, { person = ANA, filled }: Typing = {}): Promise<CommandReply> {
  return jobsCommand.run(line, {
    ...commandServices(),
    store: world.store,
    engine: world.engine(),
    runtime: { clock: world.clock, ids: countingIds(), random: seededRandom(1) },
    access: { admins: [], deny: [], guests: false, external: false },
    approvals: { approvers: [], requester: true, admins: [], expiresMinutes: 60 },
    jobs: world.jobs.control,
    commands: [jobsCommand],
    session: null,
    person,
    thread: CHANNEL,
    filled: filled ?? null,
    channelKey: "slack:C1",
    openSession: null,
    openThread: null,
    isDirect: false,
    say: () => Promise.resolve(),
  });
}

function formOf(reply: CommandReply): Form {
  if (!("form" in reply)) throw new Error(JSON.stringify(reply));
  return reply.form;
}

function wordsOf(reply: CommandReply): string {
  return "markdown" in reply ? reply.markdown : "message" in reply ? reply.message.markdown : "";
}

const valuesOf = ({ fields }: Form) => Object.fromEntries(fields.map(({ name, value = "" }) => [name, value]));

test.each([
  { line: 'add --cron 0 9 * * 1-5 --prompt "Look."', says: "Put the whole expression after `--cron`, in quotes." },
  { line: 'add --cron "@daily" Look.', says: "Put what it should do after `--prompt`, in quotes." },
])("/jobs $line is refused with the unclosed quote named", async ({ line, says }) => {
  expect(wordsOf(await type(await openWorld(), line))).toContain(says);
});

test("/jobs add without arguments opens a form, or offers a button if none can be opened", async () => {
  const world = await openWorld({ skills: ["weekly"] });
  const reply = await type(world, "add");
  expect(reply).toMatchObject({ message: { buttons: [{ id: "jobs:add", label: "Fill in the form" }] } });
  const form = formOf(reply);
  expect(form).toMatchObject({ title: "New job", command: "jobs", line: "add" });
  expect(form.fields.map(({ name, kind, required }) => `${name} ${kind}${required ? " required" : ""}`)).toEqual([
    "name text",
    "when text required",
    "prompt multiline required",
    "timezone text",
    "channel channel",
    "agent choice",
    "skill choice",
    "mode choice",
    "tools text",
    "overlap choice",
    "silent choice",
  ]);
  expect(form.fields.find(({ name }) => name === "agent")?.choices).toEqual(["build", "plan"]);
});

test("a submitted form adds the job, and the answer has its description and next three times", async () => {
  const world = await openWorld();
  const filled = { ...valuesOf(formOf(await type(world, "add"))), when: "0 9 * * 1-5", prompt: "Look.", agent: "plan" };
  expect(wordsOf(await type(world, "add", { filled }))).toBe(
    "✓ **Look.** · every weekday at 09:00 Europe/Paris\nNext: Tue 5 Jan 2027 09:00 · Wed 6 Jan 2027 09:00 · Thu 7 Jan 2027 09:00",
  );
  expect((await world.store.jobs.all()).jobs).toMatchObject([{ agent: "plan", mode: "read", skill: null }]);
});

test("all problems are reported by field at once, and the form is returned with the entered values", async () => {
  const world = await openWorld();
  const filled = {
    when: "at noon",
    prompt: "Look.",
    timezone: "Mars",
    agent: "nobody",
    tools: "bsh",
    channel: "#far",
  };
  const reply = await type(world, "add", { filled });
  expect("problems" in reply ? reply.problems : null).toEqual({
    agent: "There is no agent nobody. Known: build, plan.",
    channel: "I don't know that channel, or I'm not in it. Invite me there and mention me once.",
    timezone: "There is no time zone Mars. Write zones like Europe/Paris.",
  });
  expect(valuesOf(formOf(reply))).toMatchObject(filled);
  expect(wordsOf(reply)).toContain("- Time zone: There is no time zone `Mars`.");
  expect(wordsOf(reply)).toContain("> when: at noon");
  const again = await type(world, "add", { filled: { ...filled, timezone: "", agent: "", channel: "" } });
  expect("problems" in again ? again.problems : null).toEqual({
    when: "at noon has 2 fields; a cron expression has five fields (minute hour day month weekday), or six with seconds first. For example, 0 9 * * * is every day at 09:00. For a single time, write 2026-12-01 09:00, tomorrow 9:00 or in 2 hours.",
  });
  const tools = await type(world, "add", { filled: { when: "in 2 hours", prompt: "Look.", tools: "bsh" } });
  expect("problems" in tools ? tools.problems : null).toEqual({
    tools: "There is no tool bsh. Did you mean bash?",
  });
  const more = await type(world, "add", { filled: { when: "@daily", prompt: "Look.", budget: "much" } });
  expect("problems" in more ? more.problems : null).toEqual({ budget: "It must be a number of dollars." });
  expect(valuesOf(formOf(more))).toMatchObject({ budget: "much" });
  const line = await type(world, "add", { filled: { when: "@daily", prompt: "Look.", weekday: "all" } });
  expect(wordsOf(line)).toContain("- weekday: There is no such field. Use name, cron,");
  expect((await world.store.jobs.all()).jobs).toEqual([]);
});

test("/jobs edit with only a name shows the job's values in the form; emptied fields return to their defaults", async () => {
  const world = await openWorld({ skills: ["weekly"] });
  const at = "2027-02-01 09:30";
  const id = await world.add({
    name: "Watch",
    at,
    prompt: "Look.",
    agent: "plan",
    skill: "weekly",
    overlap: "queue",
    silent: "yes",
  });
  const form = formOf(await type(world, "edit Watch"));
  expect(form).toMatchObject({ title: "Change Watch", line: expect.stringMatching(`^edit ${id}@`) });
  const values = valuesOf(form);
  expect(values).toMatchObject({
    when: at,
    channel: "C1",
    agent: "plan",
    skill: "weekly",
    overlap: "queue",
    silent: "yes",
  });
  const emptied = { ...values, name: "", agent: "", skill: "", overlap: "", silent: "", channel: "" };
  expect(wordsOf(await type(world, form.line, { filled: emptied }))).toContain("✓ **Watch** · once, on");
  expect((await world.store.jobs.all()).jobs).toMatchObject([
    { name: "Watch", agent: null, skill: null, overlap: "skip", silentWhenUnchanged: false, cron: null },
  ]);
});

test("a skill with arguments is among the form's choices, and is kept", async () => {
  const world = await openWorld({ skills: [skillNamed("forecast", ["place"]), "weekly"] });
  await world.add({ name: "Weather", cron: "@daily", prompt: "Tell us.", skill: "forecast Lyon" });
  const form = formOf(await type(world, "edit Weather"));
  expect(form.fields.find(({ name }) => name === "skill")).toMatchObject({
    value: "forecast Lyon",
    choices: ["forecast", "weekly", "forecast Lyon"],
  });
  await type(world, form.line, { filled: valuesOf(form) });
  expect((await world.store.jobs.all()).jobs).toMatchObject([{ skill: "forecast Lyon" }]);
});

test("a removed form line empties its field, also when the form is returned", async () => {
  const world = await openWorld();
  await world.add({ name: "Watch", cron: "@daily", prompt: "Look.", agent: "plan", overlap: "queue", mode: "write" });
  const { line } = formOf(await type(world, "edit Watch"));
  const filled = { name: "Watch", when: "noon", prompt: "Look.", timezone: "Europe/Paris" };
  expect(valuesOf(formOf(await type(world, line, { filled })))).toMatchObject({ agent: "", overlap: "", mode: "" });
  expect(wordsOf(await type(world, line, { filled: { ...filled, when: "@daily" } }))).toContain("✓ **Watch**");
  expect((await world.store.jobs.all()).jobs).toMatchObject([{ agent: null, overlap: "skip", mode: "read" }]);
});

test("of two people who edit a job by form concurrently, the second is shown the first's change, and can then overwrite it", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  const [one, other] = [formOf(await type(world, "edit Watch")), formOf(await type(world, `edit ${id}`))];
  // A pause changes no field that the form shows.
  await world.jobs.control.act("disable", id, { person: ANA, thread: CHANNEL, at: world.clock.now() });
  await type(world, one.line, { filled: { ...valuesOf(one), prompt: "Look twice." } });
  const filled = { ...valuesOf(other), when: "@hourly" };
  const reply = await type(world, other.line, { filled });
  expect("problems" in reply ? reply.problems : null).toEqual({
    name: "Someone has changed this job since you opened the form. Open it again to see the current settings.",
  });
  expect(await world.store.jobs.get(id)).toMatchObject({ cron: "@daily", prompt: "Look twice." });
  const again = formOf(reply);
  expect(valuesOf(again)).toMatchObject({ prompt: "Look.", when: "@hourly" });
  await type(world, again.line, { filled: { ...valuesOf(again), prompt: "Look thrice." } });
  expect(await world.store.jobs.get(id)).toMatchObject({ cron: "@hourly", prompt: "Look thrice." });
  await world.jobs.control.act("remove", id, { person: ANA, thread: CHANNEL, at: world.clock.now() });
  expect(wordsOf(await type(world, again.line, { filled }))).toBe(
    `I don't know the job \`${id}\`. There are no jobs here.`,
  );
});

test("a form can be submitted only by people who may change the job", async () => {
  const world = await openWorld();
  await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  const ben = { id: "slack:U2", name: "ben", roles: [] };
  expect(wordsOf(await type(world, "edit Watch", { person: ben }))).toContain("only they and admins can do that");
});
