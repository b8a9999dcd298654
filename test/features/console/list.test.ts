import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Person } from "../../../src/core/protocol/platform.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { createSessions } from "../../../src/features/console/sessions.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { type SeededSession, seedSessions } from "./seed.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

const EVERYTHING = { text: "", person: "", channel: "", agent: "", state: "", leastUsd: 0, after: "" } as const;
const MINUTE_MS = 60_000;

const person = (id: string, also: Partial<Person> = {}): Person => {
  return { id, name: id, isBot: false, isGuest: false, isExternal: false, roles: [], ...also };
};
/** An account whose owner has shown to be these people. */
const account = (linked: readonly string[], role: "viewer" | "operator" | "admin" = "operator") => {
  const name = linked[0]?.slice(-3).toLowerCase() ?? "nobody";
  return { kind: "account", account: { name, role, person: person(`web:${name}`, { roles: linked }) } } as const;
};

interface Given {
  readonly store: Store;
  readonly adminsSeePrivate?: boolean;
  readonly serves?: (who: Person) => boolean;
}

/** Who is in which channel; `gone`: who has left the workspace. */
function world({ store, adminsSeePrivate = false, serves = () => true }: Given) {
  const members = new Map([
    ["C1", new Set(["slack:U0ANA", "slack:U0BOB"])],
    ["C2", new Set(["slack:U0BOB"])],
    ["D1", new Set(["slack:U0ANA"])],
    ["5", new Set(["discord:1", "discord:2"])],
    ["k.1", new Set(["discord:1"])],
    ["l.1", new Set(["discord:1", "discord:2"])],
  ]);
  const gone = new Set<string>();
  const clock = new ManualClock();
  const absent = () => Promise.reject(new Error("nothing asks for it"));
  const sessions = createSessions(
    {
      store,
      describe: describePlatform,
      canSeeChannel: async ({ channelId }, { id }) => members.get(channelId)?.has(id) === true,
      memberOf: async (_thread, id) => (gone.has(id) ? null : person(id)),
      membershipOf: async ({ threadId }, id) => {
        return { isPrivate: true, isMember: members.get(threadId ?? "")?.has(id) === true, canPost: true };
      },
      serves,
      configOf: () => {
        throw new Error("nothing asks for it");
      },
      titleOf: () => "",
      snapshots: "",
      admins: [],
      sandboxRootOf: () => "",
      approvals: { approvers: [], requester: true, expiresMinutes: 60, admins: [] },
      engine: { deliver: absent, deliverAt: absent, cancel: absent },
      receive: absent,
      runtime: { ...systemRuntime(), clock },
      log: silentLog,
      hideIn: (value) => value,
    },
    { adminsSeePrivate },
  );
  return { sessions, members, gone, clock };
}

const SESSIONS: readonly SeededSession[] = [
  { id: "a", channelKey: "slack:C1", title: "the red boat", outcome: "end_turn", costUsd: 0.5, at: 5 },
  { id: "b", channelKey: "slack:C2", title: "the board's plan", outcome: "end_turn", person: "slack:U0BOB", at: 6 },
  { id: "c", channelKey: "slack:D1", title: "in private", outcome: "cancelled", at: 7 },
  { id: "d", channelKey: "web:team", title: "on the page", outcome: "error", person: "web:ana", at: 8 },
  { id: "e", channelKey: "web:main", title: "at this machine", at: 9 },
  { id: "f", channelKey: "slack:C1", title: "a long one", outcome: "end_turn", agent: "explore", at: 10 },
  { id: "g", channelKey: "slack:C1", title: "child's", outcome: null, costUsd: 2, at: 11, parentId: "f" },
  { id: "h", channelKey: "terminal:main", title: "in a terminal", at: 12 },
];

describe.each([
  ["SQLite", () => Promise.resolve(`file:${tempDirectory()}/deckhand.db`)],
  ["PostgreSQL", () => postgres.createDatabase()],
])("on %s", (_name, url) => {
  const opened = async (sessions: readonly SeededSession[]) => {
    const store = await openStore(await url(), systemRuntime());
    onTestFinished(() => store.close());
    await seedSessions(store, sessions);
    return store;
  };

  test("each sees what the people see that they are, the newest first", async () => {
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
    // What is not served sees nothing, nor does who has left.
    const refused = world({ store, serves: ({ id }) => id !== "slack:U0ANA" }).sessions;
    expect((await refused.list(account(["slack:U0ANA"]), EVERYTHING)).sessions.map(({ id }) => id)).toEqual(["d"]);
    expect((await sessions.choices(account([], "admin"))).unlinked).toEqual(["Slack"]);
    expect(JSON.stringify(await sessions.choices(account(["slack:U0ANA"])))).not.toContain("C2");
  });

  test("a private thread on Discord is for those who are in it", async () => {
    const threads = ["k", "l"].map((id, at) => ({ id, channelKey: "discord:5", title: id, at }));
    const { sessions } = world({ store: await opened(threads) });
    const seenBy = async (id: string) =>
      (await sessions.list(account([id]), EVERYTHING)).sessions.map((session) => session.id).join("");
    expect([await seenBy("discord:1"), await seenBy("discord:2"), await seenBy("discord:3")]).toEqual(["lk", "l", ""]);
    expect(await sessions.session(account(["discord:2"]), "k")).toBeNull();
  });

  test("whoever leaves sees no more of it within a minute; a session that is not for somebody is none", async () => {
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

  test("a search finds by words, person, channel, agent, state and cost", async () => {
    const said = ['he said "100% \\ of_it"', "Ärger with the Größe", "<script>alert(1)</script>"];
    const store = await opened([...SESSIONS, { id: "i", channelKey: "slack:C1", title: "odd", said, at: 20 }]);
    const { sessions } = world({ store });
    const find = async (query: Partial<Parameters<typeof sessions.list>[1]>) =>
      (await sessions.list({ kind: "operator" }, { ...EVERYTHING, ...query })).sessions.map(({ id }) => id).join("");
    expect(await find({ text: "RED boat" })).toBe("a");
    expect(await find({ text: '"100% \\ of_it"' })).toBe("i");
    expect(await find({ text: "ärger WITH" })).toBe("i");
    expect(await find({ text: "of%it" })).toBe("");
    // What JSON is made of is no word.
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

  test("pages follow on each other without a gap, also past what is not for the viewer", async () => {
    const many = Array.from({ length: 2_300 }, (_, index): SeededSession => {
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
    expect(walked).toHaveLength(1_150);
    expect(new Set(walked).size).toBe(1_150);
    expect(walked.at(-1)).toBe("s0");
  });
});
