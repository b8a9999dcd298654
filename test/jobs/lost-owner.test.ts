import { expect, test } from "vitest";
import type { Person } from "../../src/core/platform/thread.ts";
import { PlatformError } from "../../src/core/protocol/errors.ts";
import { CHANNEL, openWorld, type World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANA = { id: "slack:U1", name: "ana", roles: [] };

async function statuses(world: World, jobId: string): Promise<string[]> {
  return (await world.occurrences(jobId)).map(({ status }) => status);
}

test.each([
  { became: null, says: "@ana has left" },
  { became: { isGuest: true }, says: "@ana is now a guest and can't use me (`access.guests`)" },
  { became: { isExternal: true }, says: "@ana can no longer use me" },
  { became: { roles: ["slack:role:1"] }, says: null },
])("a job is looked at with its owner's membership each time: $says", async ({ became, says }) => {
  const ana = { ...ANA, isBot: false, isGuest: false, isExternal: false };
  const now: { member: Person | null } = { member: ana };
  const world = await openWorld({ memberOf: () => Promise.resolve(now.member) });
  const id = await world.add({ name: "Watch", cron: "0 * * * *", prompt: "Look." });
  await world.pass(HOUR + MINUTE, 10_000);
  now.member = became === null ? null : { ...ana, ...became };
  await world.pass(2 * HOUR, 10_000);
  if (says === null) {
    expect((await statuses(world, id)).every((status) => status === "succeeded")).toBe(true);
    return;
  }
  expect(await statuses(world, id)).toEqual(["succeeded", "failed"]);
  expect(world.posts()[1]).toBe(
    `✗ **Watch** · ${says}, so nothing runs in their name. An admin can take it over with \`/jobs enable\`.\n⏸ Paused; once that is fixed, \`/jobs enable\` resumes it.`,
  );
  const admin = { ...ANA, id: "slack:UADMIN", name: "root" };
  now.member = { ...ana, id: admin.id };
  const taken = await world.jobs.control.act("enable", id, { person: admin, thread: CHANNEL, at: world.clock.now() });
  expect(taken).toMatchObject({ isDone: true });
  await world.pass(HOUR, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "failed", "succeeded"]);
});

test.each([
  { became: "who is still there", member: ANA, ends: ["succeeded"] },
  { became: "who has left", member: null, ends: ["failed"] },
])("while nobody can tell whether its owner is still there, a job waits: $became", async ({ member, ends }) => {
  const outage = { isOver: false };
  const known = member === null ? null : { ...member, isBot: false, isGuest: false, isExternal: false };
  const world = await openWorld({
    memberOf: async () => {
      if (!outage.isOver) throw new PlatformError("network", "unreachable");
      return known;
    },
  });
  const id = await world.add({ name: "Watch", cron: "0 * * * *", prompt: "Look." });
  await world.pass(HOUR + 20 * MINUTE, 10_000);
  expect(await statuses(world, id)).toEqual([]);
  outage.isOver = true;
  await world.pass(2 * MINUTE, 10_000);
  expect(await statuses(world, id)).toEqual(ends);
});
