import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { deleteSessions } from "../../../src/features/retention/delete-sessions.ts";
import { finishDeletions } from "../../../src/features/retention/finish-deletions.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { deathsOf, retentionWorld } from "./retention-world.ts";
import { seedSession } from "./seed.ts";

const PROGRAM = path.join(import.meta.dirname, "delete-and-die.ts");
const NEVER = AbortSignal.any([]);

test("after a kill at any transaction the next start finishes the deletion; before the first one the session is intact", {
  timeout: 240_000,
}, async () => {
  const before = await retentionWorld();
  await seedSession(before, { id: "ses_1", word: "herongoes", platform: "web" });
  await seedSession(before, {
    id: "ses_2",
    word: "herongoesbelow",
    platform: "web",
    threadId: "ses_1.1",
    parentId: "ses_1",
  });
  await before.store.close();
  const homeFor = () => {
    const home = tempDirectory();
    cpSync(before.home, home, { recursive: true });
    return home;
  };
  const untouched = homeFor();
  expect((await (await retentionWorld({ home: untouched })).traces("herongoes")).length).toBeGreaterThan(20);
  const { homes } = await deathsOf(homeFor(), (world) =>
    deleteSessions({ why: "session", roots: ["ses_1"] }, world, NEVER),
  );
  expect(homes.length).toBeGreaterThan(20);
  // One real process among them.
  const killed = homeFor();
  const step = Math.floor(homes.length / 2);
  const { signal, stderr } = spawnSync(process.execPath, [PROGRAM, killed, `${step}`], { encoding: "utf8" });
  expect({ signal, stderr }).toEqual({ signal: "SIGKILL", stderr: "" });
  for (const [index, home] of [...homes, killed].entries()) {
    const after = await retentionWorld({ home });
    await finishDeletions(after, NEVER);
    expect(await after.traces("herongoes"), `killed after transaction ${index + 1}`).toEqual([]);
    expect(await after.store.tables((db) => db.deletion.count())).toBe(0);
  }
});

test("a session that was only marked before a crash, and has a new event since, is kept", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "heron" });
  const at = new Date();
  await world.store.transaction((tx) =>
    tx.tables(async (db) => {
      const mark = { state: "marked", formerKey: "slack:T1:C1:ses_1.1", createdAt: at };
      await db.deletion.create({ data: { id: "session:ses_1", ...mark } });
      await db.session.update({ where: { id: "ses_1" }, data: { key: "deleted:ses_1" } });
      const event = { key: "new", sessionId: "ses_1", body: "{}", wakes: true, state: "waiting" };
      await db.inboxEvent.create({ data: { ...event, dueAt: at, createdAt: at } });
    }),
  );
  await finishDeletions(world, NEVER);
  expect((await world.store.sessions.byKey("slack:T1:C1:ses_1.1"))?.id).toBe("ses_1");
  expect(await world.store.tables((db) => db.message.count())).toBe(2);
});
