import { describe, expect, test } from "vitest";
import { useEmptiedFiles, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { silentLog } from "../../support/silent-log.ts";
import { type SeededSession, seedSessions } from "./seed.ts";
import { account, SESSIONS, world } from "./sessions-world.ts";

const EVERYTHING = { text: "", person: "", channel: "", agent: "", state: "", leastUsd: 0, after: "" } as const;
const MINUTE_MS = 60_000;

describe.each([
  ["SQLite", useEmptiedFiles()],
  ["PostgreSQL", useEmptiedPostgres()],
])("on %s", (_name, emptied) => {
  const opened = async (sessions: readonly SeededSession[]) => {
    const { store } = await emptied();
    await seedSessions(store, sessions);
    return store;
  };

  test("each account sees the sessions that its linked people see, newest first", async () => {
    const store = await opened(SESSIONS);
    const { sessions } = world({ store });
    const seenBy = async (viewer: Parameters<typeof sessions.list>[0]) =>
      (await sessions.list(viewer, EVERYTHING)).sessions.map(({ id }) => id).join("");
    expect(await seenBy(account(["slack:U0ANA"]))).toBe("fdca");
    expect(await seenBy(account(["slack:U0BOB"]))).toBe("fdba");
    expect(await seenBy(account([], "admin"))).toBe("d");
    expect(await seenBy(account(["discord:1"]))).toBe("d");
    expect(await seenBy({ kind: "operator" })).toBe("hfedcba");
    const open = world({ store, adminsSeePrivate: true }).sessions;
    const all = async (role: "operator" | "admin") => (await open.list(account([], role), EVERYTHING)).sessions.length;
    expect([await all("operator"), await all("admin")]).toEqual([1, 7]);
    // People who are not served see nothing, nor do those who have left.
    const refused = world({ store, serves: ({ id }) => id !== "slack:U0ANA" }).sessions;
    expect((await refused.list(account(["slack:U0ANA"]), EVERYTHING)).sessions.map(({ id }) => id)).toEqual(["d"]);
    expect((await sessions.choices(account([], "admin"))).unlinked).toEqual(["Slack"]);
    const { channels } = await sessions.choices(account(["slack:U0ANA"]));
    const platforms = channels.map(({ name }) => name.split(" · ").at(-1));
    expect(new Set(platforms)).toEqual(new Set(["Slack", "the web page"]));
    expect(JSON.stringify(channels)).not.toContain("C2");
  });

  test("a session whose row cannot be read is omitted, and logged once", async () => {
    const store = await opened(SESSIONS);
    const spoil = { where: { id: "e" }, data: { thread: '{"platform":"telegraph"}' } };
    await store.transaction((tx) => tx.tables((db) => db.session.update(spoil)));
    const told: unknown[] = [];
    const { sessions } = world({ store, log: { ...silentLog, error: (...line) => told.push(line) } });
    const [first] = [
      await sessions.list({ kind: "operator" }, EVERYTHING),
      await sessions.list(account([]), EVERYTHING),
    ];
    expect(first.sessions.map(({ id }) => id).join("")).toBe("hfdcba");
    expect(await sessions.session({ kind: "operator" }, "e")).toBeNull();
    expect(told).toEqual([[{ sessionId: "e" }, "session_unreadable"]]);
  });

  test("unreadable transcripts, and cards and questions of a later version, do not hide their session", async () => {
    const store = await opened(SESSIONS);
    await store.transaction((tx) =>
      tx.tables(async (db) => {
        await db.inboxEvent.updateMany({ where: { sessionId: "f" }, data: { body: "{" } });
        const row = { sessionId: "f", runId: "f-run", status: "open", createdAt: new Date(0) };
        await db.question.create({ data: { ...row, id: "q", kind: "later", body: "{}" } });
        const expiring = { ...row, status: "pending", expiresAt: new Date(0), turn: 1 };
        await db.approval.create({ data: { ...expiring, id: "a", calls: '[{"kind":"later"}]', people: "{}" } });
        await db.message.updateMany({ where: { sessionId: "f" }, data: { content: '[{"type":"text","text":7}]' } });
      }),
    );
    const { sessions, overview } = world({ store });
    const ids = async (text: string) =>
      (await sessions.list({ kind: "operator" }, { ...EVERYTHING, text })).sessions.map(({ id }) => id).join("");
    expect(await ids("")).toBe("hfedcba");
    expect(await ids("no such words")).toBe("");
    await overview({ kind: "operator" });
  });

  test("a private Discord thread is listed for its members only", async () => {
    const threads = ["k", "l"].map((id, at) => ({ id, channelKey: "discord:5", title: id, at }));
    const { sessions } = world({ store: await opened(threads) });
    const seenBy = async (id: string) =>
      (await sessions.list(account([id]), EVERYTHING)).sessions.map((session) => session.id).join("");
    expect([await seenBy("discord:1"), await seenBy("discord:2"), await seenBy("discord:3")]).toEqual(["lk", "l", ""]);
    expect(await sessions.session(account(["discord:2"]), "k")).toBeNull();
  });

  test("a person who left a channel loses its sessions within a minute; an invisible session is treated as missing", async () => {
    const store = await opened(SESSIONS);
    const { sessions, gone, clock } = world({ store });
    const ana = account(["slack:U0ANA"]);
    const press = { sessionId: "b", clickId: "1", action: "stop:b-run" };
    expect(await sessions.session(ana, "b")).toBeNull();
    expect(await sessions.session(ana, "nothing")).toBeNull();
    expect(await sessions.press(ana, press)).toBeNull();
    expect((await sessions.list(ana, EVERYTHING)).sessions).toHaveLength(4);
    gone.add("slack:U0ANA");
    clock.set(clock.now() + MINUTE_MS);
    expect((await sessions.list(ana, EVERYTHING)).sessions.map(({ id }) => id)).toEqual(["d"]);
  });

  test("sessions can be searched by text, person, channel, agent, state and cost", async () => {
    const said = ['he said "100% \\ of_it"', "Ärger with the Größe", "<script>alert(1)</script>"];
    const store = await opened([...SESSIONS, { id: "i", channelKey: "slack:C1", title: "odd", said, at: 20 }]);
    const { sessions } = world({ store });
    const find = async (query: Partial<Parameters<typeof sessions.list>[1]>) =>
      (await sessions.list({ kind: "operator" }, { ...EVERYTHING, ...query })).sessions.map(({ id }) => id).join("");
    expect(await find({ text: "RED boat" })).toBe("a");
    expect(await find({ text: '"100% \\ of_it"' })).toBe("i");
    expect(await find({ text: "ärger WITH" })).toBe("i");
    expect(await find({ text: "of%it" })).toBe("");
    // A search does not match the JSON around the text.
    expect(await find({ text: "type" })).toBe("");
    expect(await find({ person: "slack:U0BOB" })).toBe("b");
    expect(await find({ channel: "web:team" })).toBe("d");
    expect(await find({ agent: "explore" })).toBe("f");
    // A sub-agent's work and its cost are the session's.
    expect(await find({ state: "working" })).toBe("f");
    expect(await find({ state: "failed" })).toBe("d");
    expect(await find({ state: "stopped" })).toBe("c");
    expect(await find({ leastUsd: 0.1 })).toBe("fa");
    expect(await find({ leastUsd: 1 })).toBe("f");
    expect(await find({ channel: '\'; DROP TABLE "Session"; --', text: "%" })).toBe("");
  });

  test("pages follow each other without a gap, also across sessions that the viewer may not see", async () => {
    const many = Array.from({ length: 1_100 }, (_, index): SeededSession => {
      const channelKey = index % 2 === 0 ? "slack:C1" : "slack:C2";
      return { id: `s${index}`, channelKey, title: `number ${index}`, outcome: "end_turn", at: Math.floor(index / 3) };
    });
    const { sessions } = world({ store: await opened(many) });
    const walked: string[] = [];
    let after = "";
    for (let page = 0; page < 100; page += 1) {
      const { sessions: found, next } = await sessions.list(account(["slack:U0ANA"]), { ...EVERYTHING, after });
      walked.push(...found.map(({ id }) => id));
      if (next === null) break;
      after = next;
    }
    expect(walked).toHaveLength(550);
    expect(new Set(walked).size).toBe(550);
    expect(walked.at(-1)).toBe("s0");
  });
});
