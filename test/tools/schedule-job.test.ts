import { expect, test } from "vitest";
import { createJobTools } from "../../src/tools/schedule-job.ts";
import { CHANNEL, openWorld } from "../jobs/world.ts";
import { toolContext } from "../support/tool-context.ts";

const MINUTE = 60_000;
const { signal } = new AbortController();

/** The tools in a session of a job's owner. */
async function tools() {
  const world = await openWorld();
  const talk = await world.add({ name: "Talk", at: "in 1 s", prompt: "Look." });
  await world.pass(MINUTE, 10_000);
  const [{ sessionId, runId } = { sessionId: null, runId: null }] = await world.occurrences(talk);
  if (sessionId === null || runId === null) throw new Error("no run");
  const all = createJobTools({ jobs: world.jobs.control, store: world.store, clock: world.clock });
  const named = (name: string) => all.find((tool) => tool.name === name);
  return { world, named, ctx: toolContext({ sandboxRoot: "/", sessionId, runId }) };
}

test("a reminder is due at the time shown on its card, however late the approval", async () => {
  const { world, named, ctx } = await tools();
  const schedule = named("schedule_job");
  const input = { name: "Call", prompt: "Call.", at: "in 10 minutes" };
  const card = await schedule?.preview?.(input, ctx, signal);
  if (card === undefined || "refused" in card) throw new Error(JSON.stringify(card));
  expect(card.text).toContain("once, on Mon 4 Jan 2027 09:11 Europe/Paris");
  expect(card.answers).toEqual({ allow: "Create", deny: "Change" });
  const previewDigest = card.previewDigest ?? "";
  await world.pass(8 * MINUTE, 10_000);
  const answer = await schedule?.execute(input, { ...ctx, previewDigest }, signal);
  expect(JSON.stringify(answer)).toContain("once, on Mon 4 Jan 2027 09:11 Europe/Paris");
  await world.pass(4 * MINUTE, 10_000);
  const late = await schedule?.execute({ ...input, name: "Late" }, { ...ctx, callId: "late", previewDigest }, signal);
  expect(late).toMatchObject({ isError: true });
  expect(JSON.stringify(late)).toContain("That time has passed.");
});

test("cancel_job removes the job shown on the card, and not another that has taken its name", async () => {
  const { world, named, ctx } = await tools();
  const { control } = world.jobs;
  const request = { person: { id: "slack:U1", name: "ana", roles: [] }, thread: CHANNEL, at: 0 };
  await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  const cancel = named("cancel_job");
  const card = await cancel?.preview?.({ job: "Watch" }, ctx, signal);
  if (card === undefined || "refused" in card) throw new Error(JSON.stringify(card));
  await control.act("remove", "Watch", request);
  await world.add({ name: "Watch", cron: "@hourly", prompt: "Look." });
  const seen = { ...ctx, previewDigest: card.previewDigest ?? "" };
  expect(await cancel?.execute({ job: "Watch" }, seen, signal)).toMatchObject({ isError: true });
  expect((await control.list(request)).text).toContain("✓ **Watch** · every hour");
});
