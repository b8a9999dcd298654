import { expect, test } from "vitest";
import type { SessionNews } from "../../../src/adapters/web/sessions/team-sessions.ts";
import { useEmptiedDatabases } from "../../support/database/emptied-databases.ts";
import { seedSessions } from "./seed.ts";
import { account, world } from "./sessions-world.ts";

const emptied = useEmptiedDatabases();

test("streamed text is numbered: a failed attempt is withdrawn, each call is a new answer, and each viewer starts anew", async () => {
  const store = await emptied();
  await seedSessions(store, [{ id: "ses_1", channelKey: "slack:C1", title: "tell", outcome: null, at: 1_000 }]);
  const { sessions, streamed, clock } = world({ store });
  const run = { runId: "ses_1-run", sessionId: "ses_1" };
  const note = (event: Parameters<typeof streamed.note>[1]) => {
    streamed.note(run, event);
    sessions.note(run, event);
  };
  const watch = (linked: readonly string[] = ["slack:U0ANA"]) => {
    const told: Extract<SessionNews, { type: "text" }>[] = [];
    const tell = (news: SessionNews) => {
      if (news.type === "text") told.push(news);
    };
    sessions.watch({ viewer: () => Promise.resolve(account(linked)), sessionId: "ses_1", send: tell });
    return told;
  };
  const after = async (told: readonly unknown[], count: number) => {
    await clock.advance(50);
    await expect.poll(() => told.length).toBe(count);
    return told.at(-1);
  };
  note({ type: "turn_start", turn: 1 });
  note({ type: "token", text: "One " });
  const told = watch();
  expect(await after(told, 1)).toMatchObject({ at: 0, text: "One " });
  note({ type: "token", text: "two " });
  expect(await after(told, 2)).toMatchObject({ at: 4, text: "two " });
  note({ type: "text_discarded" });
  expect(await after(told, 3)).toMatchObject({ at: 0, text: "" });
  note({ type: "token", text: "Three " });
  const [late, stranger] = [watch(), watch(["slack:U0CLEO"])];
  expect(await after(told, 4)).toMatchObject({ at: 0, text: "Three " });
  expect(await after(late, 1)).toMatchObject({ at: 0, text: "Three " });
  expect(new Set([...told, ...late].map(({ answer }) => answer)).size).toBe(1);
  note({ type: "turn_start", turn: 2 });
  note({ type: "token", text: "Four" });
  expect(await after(told, 5)).toMatchObject({ at: 0, text: "Four" });
  expect(told.at(-1)?.answer).not.toBe(told[0]?.answer);
  note({ type: "closed" });
  expect(streamed.in("ses_1")).toBeNull();
  expect(stranger).toEqual([]);
});

test("an update that failed while the database was unavailable is delivered soon, without another event", async () => {
  const store = await emptied();
  await seedSessions(store, [{ id: "ses_1", channelKey: "slack:C1", title: "tell", outcome: null, at: 1_000 }]);
  const { sessions, clock } = world({ store });
  const told: SessionNews[] = [];
  let isAway = true;
  sessions.watch({
    viewer: () => (isAway ? Promise.reject(new Error("away")) : Promise.resolve(account(["slack:U0ANA"]))),
    sessionId: "ses_1",
    send: (news) => told.push(news),
  });
  sessions.note({ runId: "ses_1-run", sessionId: "ses_1" }, { type: "turn_start", turn: 1 });
  await clock.advance(50);
  isAway = false;
  await clock.advance(5_000);
  await expect.poll(() => told).toEqual([{ type: "changed", sessionIds: ["ses_1"] }]);
});
