import { describe, expect, test } from "vitest";
import type { JobAnswer, JobControl, JobRequest } from "../../src/core/jobs/job-control.ts";
import { accessRefusal } from "../../src/core/permissions/access.ts";
import type { Person } from "../../src/core/platform/thread.ts";
import { CHANNEL, openWorld, type World } from "./world.ts";

const MEMBER: Person = {
  id: "slack:U9",
  name: "max",
  isBot: false,
  isGuest: false,
  isExternal: false,
  roles: [],
};

const PEOPLE: Readonly<Record<string, Person>> = {
  owner: { ...MEMBER, id: "slack:U1", name: "ana" },
  admin: { ...MEMBER, id: "slack:UADMIN", name: "root" },
  "admin by role": { ...MEMBER, id: "slack:U7", name: "rosa", roles: ["slack:role:9"] },
  member: MEMBER,
  guest: { ...MEMBER, id: "slack:U8", name: "gil", isGuest: true },
};

const ACCESS = { admins: ["slack:UADMIN", "slack:role:9"], deny: [], guests: false, external: false };
const JOB = { name: "Other", cron: "@daily", prompt: "Look." };

type Asked = (jobs: JobControl, request: JobRequest) => Promise<JobAnswer>;

const SUBCOMMANDS: Readonly<Record<string, Asked>> = {
  add: (jobs, request) => jobs.add(JOB, request),
  "add --mode agi": (jobs, request) => jobs.add({ ...JOB, mode: "agi" }, request),
  "add --tools bash": (jobs, request) => jobs.add({ ...JOB, tools: "bash" }, request),
  list: (jobs, request) => jobs.list(request),
  show: (jobs, request) => jobs.act("show", "Watch", request),
  logs: (jobs, request) => jobs.act("logs", "Watch", request),
  edit: (jobs, request) => jobs.edit("Watch", { timeout: "5" }, request),
  run: (jobs, request) => jobs.act("run", "Watch", request),
  enable: (jobs, request) => jobs.act("enable", "Watch", request),
  disable: (jobs, request) => jobs.act("disable", "Watch", request),
  remove: (jobs, request) => jobs.act("remove", "Watch", request),
};

/** Who may use each subcommand: names of the people above, in their order. */
const TABLE: Readonly<Record<keyof typeof SUBCOMMANDS, string>> = {
  add: "owner, admin, admin by role, member",
  "add --mode agi": "admin, admin by role",
  "add --tools bash": "admin, admin by role",
  list: "owner, admin, admin by role, member",
  show: "owner, admin, admin by role, member",
  logs: "owner, admin, admin by role, member",
  edit: "owner, admin, admin by role",
  run: "owner, admin, admin by role",
  enable: "owner, admin, admin by role",
  disable: "owner, admin, admin by role",
  remove: "owner, admin, admin by role",
};

async function may(person: Person, asked: Asked): Promise<boolean> {
  // The intake checks access before it looks at a command.
  if (accessRefusal(person, ACCESS) !== null) return false;
  const world: World = await openWorld({ access: { admins: ACCESS.admins } });
  await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  return (await asked(world.jobs.control, { person, thread: CHANNEL, at: world.clock.now() })).isDone;
}

test.each(Object.entries(SUBCOMMANDS))(
  "/jobs %s is allowed to exactly the people in the table",
  async (name, asked) => {
    const allowed: string[] = [];
    for (const [who, person] of Object.entries(PEOPLE)) if (await may(person, asked)) allowed.push(who);
    expect(allowed.join(", ")).toBe(TABLE[name]);
  },
);

test("in another channel a member sees only their own jobs, while owner and admins see all of theirs", async () => {
  const world = await openWorld({ access: { admins: ACCESS.admins } });
  await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  const thread = { ...CHANNEL, channelId: "C2" };
  const seen: string[] = [];
  for (const [who, person] of Object.entries(PEOPLE)) {
    const { isDone } = await world.jobs.control.act("show", "Watch", { person, thread, at: 0 });
    if (isDone) seen.push(who);
  }
  expect(seen).toEqual(["owner", "admin", "admin by role"]);
});

test("listing a channel without jobs explains how to create one", async () => {
  const world = await openWorld();
  const { text } = await world.jobs.control.list({ person: MEMBER, thread: CHANNEL, at: 0 });
  expect(text).toContain("There are no jobs here yet. A job runs on its own");
  expect(text.match(/^- /gmu)).toHaveLength(3);
});

test.each([
  { cron: "30 2 * * *", timezone: "Europe/Paris", lines: ["skip 02:00–03:00", "show 02:00–03:00 twice"] },
  { cron: "*/30 * * * *", timezone: "America/New_York", lines: ["skip 02:00–03:00", "show 01:00–02:00 twice"] },
  { cron: "15 2 * * *", timezone: "Australia/Lord_Howe", lines: ["skip 02:00–02:30"] },
  { cron: "0 9 * * *", timezone: "Europe/Paris", lines: [] },
  { cron: "30 2 * * *", timezone: "Asia/Tokyo", lines: [] },
])(
  "/jobs show states the effect of daylight saving changes on $cron in $timezone",
  async ({ cron, timezone, lines }) => {
    const world = await openWorld();
    await world.add({ name: "Early", cron, timezone, prompt: "Look." });
    const request = { person: MEMBER, thread: CHANNEL, at: 0 };
    const { text } = await world.jobs.control.act("show", "Early", request);
    const said = text.split("\n").filter((line) => line.includes("clocks"));
    expect(said).toHaveLength(lines.length);
    for (const line of lines) expect(said.join()).toContain(line);
  },
);

test("/jobs show uses the channel's name once it is known, and its id before", async () => {
  const world = await openWorld();
  await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  const shown = async () => {
    return (await world.jobs.control.act("show", "Watch", { person: MEMBER, thread: CHANNEL, at: 0 })).text;
  };
  expect(await shown()).toContain(" · in channel `C1` · ");
  const session = {
    id: "ses_1",
    key: "k",
    thread: { ...CHANNEL, threadId: "1" },
    workspaceName: "Acme",
    agent: "build",
  };
  const channel = { name: "ops_", kind: "channel" } as const;
  await world.store.transaction((tx) => tx.sessions.create({ ...session, channel, createdBy: MEMBER.id, at: 0 }));
  expect(await shown()).toContain(String.raw` · #ops\_ · `);
});

describe("a private channel's jobs", () => {
  const FAR = { ...CHANNEL, channelId: "C2" };

  /** Opens a world in which C1 is private and Ana is no longer a member. */
  async function privately() {
    const inside = new Set(["slack:U5"]);
    const world = await openWorld({
      access: { admins: ACCESS.admins },
      membershipOf: ({ channelId }, personId) =>
        Promise.resolve({ isPrivate: channelId === "C1", isMember: inside.has(personId), canPost: true }),
    });
    const id = await world.add({ name: "Watch", cron: "* * * * *", prompt: "Count the secrets." });
    world.play = () => ({ says: "There are four secrets." });
    await world.pass(63_000);
    const seen = (person: Person, action: "show" | "logs", thread = FAR) =>
      world.jobs.control.act(action, "Watch", { person, thread, at: 0 });
    return { world, id, seen };
  }

  test.each(["owner", "admin"])("hide their prompts and reports from their %s outside it", async (who) => {
    const { world, seen } = await privately();
    const person = PEOPLE[who] ?? MEMBER;
    const [shown, logs] = [await seen(person, "show"), await seen(person, "logs")];
    expect(shown.text).toContain("**Watch** · every minute");
    expect(logs.text).toContain("✓ done");
    for (const { text } of [shown, logs]) {
      expect(text).not.toContain("secrets");
      expect(text).toContain("are visible only in its channel, which is private");
    }
    const request = { person, thread: FAR, at: 0 };
    expect(await world.jobs.control.view("Watch", request)).toMatchObject({ prompt: null });
    expect(JSON.stringify(await world.jobs.control.view("Watch", request))).not.toContain("secrets");
    expect(await world.jobs.control.form("Watch", request)).toMatchObject({ type: "refused" });
    expect(await world.jobs.control.edit("Watch", { name: "Mine" }, request)).toMatchObject({ isDone: false });
    expect(await world.jobs.control.act("disable", "Watch", request)).toMatchObject({ isDone: true });
  });

  test("are hidden in a thread elsewhere, even from a member of the channel", async () => {
    const { world } = await privately();
    const insider = { ...MEMBER, id: "slack:U5", roles: ["slack:role:9"] };
    const request = { person: insider, thread: FAR, at: 0 };
    const { control } = world.jobs;
    expect((await control.act("show", "Watch", request)).text).toContain("Count the secrets.");
    expect((await control.act("show", "Watch", { ...request, isShared: true })).text).not.toContain("secrets");
    expect((await control.list(request)).text).toContain("**Watch**");
    expect((await control.list({ ...request, isShared: true })).text).toContain("There are no jobs here yet.");
    expect((await control.list({ ...request, thread: CHANNEL, isShared: true })).text).toContain("**Watch**");
  });

  test("are shown to people who ask within it", async () => {
    const { seen } = await privately();
    expect((await seen(MEMBER, "show", CHANNEL)).text).toContain("Count the secrets.");
    expect((await seen(MEMBER, "logs", CHANNEL)).text).toContain("There are four secrets.");
  });
});

/** The refusal for a channel that does not exist. */
const UNKNOWN = "I don't know that channel, or I'm not in it. Invite me there and mention me once.";

const MEMBERSHIPS = [
  { membership: null, refusal: UNKNOWN },
  { membership: { isPrivate: true, isMember: false, canPost: true }, refusal: UNKNOWN },
  {
    membership: { isPrivate: false, isMember: false, canPost: true },
    refusal: "You are not in that channel. Only its members can have something posted there.",
  },
  {
    membership: { isPrivate: true, isMember: true, canPost: false },
    refusal: "I can't post in that channel. Invite me there first.",
  },
  { membership: { isPrivate: true, isMember: true, canPost: true }, refusal: null },
];

test.each(MEMBERSHIPS)(
  "configuring a report to another channel where the membership is $membership gives the refusal $refusal",
  async ({ membership, refusal }) => {
    const asked: string[] = [];
    const world = await openWorld({
      membershipOf: ({ channelId }, personId) => {
        asked.push(`${channelId} ${personId}`);
        return Promise.resolve(membership);
      },
    });
    const request = { person: MEMBER, thread: CHANNEL, at: 0 };
    const added = await world.jobs.control.add({ ...JOB, channel: "<#C2|ops>" }, request);
    expect(added.isDone ? null : added.text).toBe(refusal);
    await world.add({ name: "Here", cron: "@daily", prompt: "x", channel: "<#C1>" }, request);
    const moved = await world.jobs.control.edit("Here", { channel: "<#C2>" }, request);
    expect(moved.isDone ? null : moved.text).toBe(refusal);
    expect(asked).toEqual(["C2 slack:U9", "C2 slack:U9"]);
  },
);
