import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/core/store/store.ts";
import { scopeWord } from "../../src/features/memory/audience.ts";
import { indexed } from "../../src/features/memory/memories.ts";
import type { NewMemory } from "../../src/features/memory/memory.ts";
import { find } from "../../src/features/memory/search/find.ts";
import type { Database } from "../../src/features/memory/search/full-text.ts";
import { indexMissing } from "../../src/features/memory/search/reindex.ts";
import { fullText, optimizeIndex } from "../../src/features/memory/search/store.ts";
import { prefixOf, termFor } from "../../src/features/memory/search/terms.ts";
import { addMany, memoryReads, memoryWrites } from "../../src/features/memory/store.ts";

const AT = 1_800_000_000_000;
const CHANNEL = "channel:slack:C1";

/** The channel memory from which tests make theirs. */
export const given: NewMemory = {
  id: "mem",
  text: "",
  kind: "semantic",
  scope: CHANNEL,
  isPrivate: false,
  origin: "people",
  author: { id: "slack:U1", name: "ana" },
  channelKey: "slack:C1",
  workspace: "slack:T1",
  thread: null,
  source: "notes",
  position: null,
  said: "2026-11-16",
};

/** Requirements for every database on memories. */
export function memoriesContract(database: Database, emptied: () => Promise<Store>): void {
  describe(`memories on ${database}`, () => {
    let store: Store;

    beforeEach(async () => {
      store = await emptied();
    });

    const add = (all: readonly Partial<NewMemory>[]) =>
      store.transaction((tx) =>
        tx.tables((db) =>
          addMany(db, database, {
            all: all.map((one, index) => indexed({ ...given, id: `mem_${index}`, ...one })),
            at: AT,
          }),
        ),
      );
    const write = <T>(work: (writes: ReturnType<typeof memoryWrites>) => Promise<T>) =>
      store.transaction((tx) => work(tx.tables(memoryWrites)));
    const textOf = (mostListed?: number) => store.tables((db) => fullText(db, database, mostListed));
    const search = async (query: string, scope = CHANNEL, text = textOf()) => {
      const hits = await find({ query, readers: [scopeWord(scope, "people")], limit: 5 }, { text, now: AT });
      return hits.map(({ memory }) => memory.text);
    };

    test.each([
      ["another form of the word", "when are we deploying", "We deploy on Thursdays"],
      ["who said it", "what does Bob like", "My favourite editor is Helix"],
      ["a date however it is written", "what was on 8 May 2026", "The outage began 2026-05-08 at noon"],
      ["a name that is written otherwise", "who is Schwartzenberg", "Ask Schwarzenberg for the certificates"],
      ["letters without their marks", "zoe phone", "Zoë has a new phone"],
      ["a form that no ending tells", "what did we buy", "Carol bought a heron"],
      ["a month, in what was said in it", "what broke in October 2026", "The printer broke"],
      ["a month by its name alone", "what broke in October", "The printer broke"],
      ["what `yesterday` was when it was said", "what was on 2026-10-01", "Yesterday the printer was bought"],
      ["what `last Friday` was when it was said", "what was on 2026-09-25", "Last Friday the printer was bought"],
      ["how many weeks ago it was when it was said", "what was on 2026-09-18", "Two weeks ago the printer was bought"],
      ["what `yesterday` is when it is asked", "what was decided yesterday", "The logs stay, since 14 January 2027"],
      ["a script without spaces", "部署什么时候", "我们星期四部署服务"],
      ["Korean, whose words take endings", "배포 목요일", "배포는 매주 목요일에 합니다"],
      ["the end of a long text without spaces", "กรุงเทพ", "เราปล่อยเวอร์ชันใหม่ทุกวันพฤหัสบดีตอนบ่ายสามโมงโดยทีมแพลตฟอร์มที่กรุงเทพ"],
    ])("finds by %s", async (_what, query, text) => {
      const others = ["The cat sleeps", "Lunch is at noon in Rome", "Nobody reads the logs"];
      await add([
        ...others.map((other) => ({ text: other })),
        {
          text,
          author: text.startsWith("My") ? { id: "slack:U2", name: "Bob" } : given.author,
          said: text.includes("printer") ? "9:12 am on 2 October, 2026" : given.said,
        },
      ]);
      expect((await search(query))[0]).toBe(text);
    });

    test("finds a memory by the end of a long question without spaces", async () => {
      const begin = "先週の会議で話していた件についてなのですが、確認したいことがありまして";
      const others = ["会議", "設計", "障害", "請求"].map((noun) => ({
        text: `先週の${noun}で話していた件は担当者が確認します`,
      }));
      await add([...others, { text: "サーモンサーバーのポート番号は8443番です" }]);
      expect((await search(`${begin}サーモンサーバーのポート番号は何番でしたか？`))[0]).toContain("8443");
    });

    test("finds nothing of another scope, nor raises it as a neighbour of a match", async () => {
      await add([
        { text: "The budget is tight", scope: "channel:slack:C2", isPrivate: true, position: 2 },
        { text: "The heron budget is ten", position: 1 },
      ]);
      expect(await search("heron budget")).toEqual(["The heron budget is ten"]);
      expect(await search("budget", "workspace:slack:T1")).toEqual(["The heron budget is ten"]);
      expect(await search("budget", "channel:slack:C2")).toEqual(["The budget is tight"]);
    });

    test("finds the line after a match as a possible answer in other words", async () => {
      await add([
        { text: "Where do we keep the runbooks?", position: 1, source: "a" },
        { text: "In the green binder", position: 2, source: "a" },
        { text: "It rains", position: 3, source: "b" },
      ]);
      expect(await search("where are the runbooks")).toEqual(["Where do we keep the runbooks?", "In the green binder"]);
    });

    test("only neighbours of the same scope and source are raised", async () => {
      await add([
        { text: "Where do we keep the runbooks?", position: 1, source: "a" },
        { text: "In the red binder", position: 2, source: "b" },
        { text: "In the blue binder", position: 2, source: "a", scope: "workspace:slack:T1" },
      ]);
      expect(await search("where are the runbooks", "workspace:slack:T1")).toEqual(["Where do we keep the runbooks?"]);
    });

    test("a statement ranks above a question with the same words", async () => {
      await add([{ text: "The heron deploys by itself" }, { text: "Heron deploys?" }]);
      expect(await search("heron deploy")).toEqual(["The heron deploys by itself", "Heron deploys?"]);
    });

    test("among equal matches the one phrased most like the question ranks first", async () => {
      const alike = ["8101 is its port", "8102 was the port", "is no swan: 8103"].map((text) => ({
        text: `Heron ${text}`,
      }));
      await add([{ text: "The heron spares lie in a box" }, ...alike]);
      expect((await search("what of the heron is kept in the cellar"))[0]).toBe("The heron spares lie in a box");
    });

    test("a neighbouring line that shares only stop words with the question raises nothing", async () => {
      const talk = ["Tea is what all of the house has in the cellar room", "Heron 8101: no port so far", "It rains"];
      await add([
        { text: "The heron spares are in a box" },
        ...Array.from({ length: 30 }, (_, at) => ({ text: `Lunch ${at} was long`, id: `lunch_${at}` })),
        ...talk.map((text, index) => ({ text, id: `talk_${index}`, source: "talk", position: index + 1 })),
      ]);
      expect((await search("what of the heron is in storage"))[0]).toBe("The heron spares are in a box");
    });

    test("question words count only in matches that are questions", async () => {
      await add([{ text: "Heron folk told who sleeps now" }, { text: "Heron folk told us to sleep on" }]);
      expect((await search("who owns the heron"))[0]).toBe("Heron folk told us to sleep on");
      await add([
        { text: "Heron keys, where are those?", id: "asks", source: "talk", position: 1 },
        { text: "Not far from my desk, I am sure", id: "answers", source: "talk", position: 2 },
        { text: "Heron keys, which are those?", id: "other", source: "chat", position: 1 },
        { text: "Not far from my flat, I am sure", id: "near", source: "chat", position: 2 },
      ]);
      const found = await search("where are the heron keys");
      expect(found.find((text) => text.startsWith("Not far"))).toBe("Not far from my desk, I am sure");
    });

    test("identical lines are limited, so that others are found", async () => {
      const copies = Array.from({ length: 6 }, (_, index) => ({ text: "The heron is grey", id: `copy_${index}` }));
      await add([{ text: "A heron that flew past was as grey as the sky above the lake that day" }, ...copies]);
      const found = await search("grey heron");
      expect(found[1]).toContain("flew past");
      expect(found.filter((text) => text === "The heron is grey")).toHaveLength(4);
    });

    test("the person who stated something ranks above the person addressed", async () => {
      const bob = { id: "slack:U2", name: "Bob" };
      await add([{ text: "I like herons", author: bob }, { text: "Bob, I like herons" }, { text: "It rains" }]);
      expect((await search("does Bob like herons"))[0]).toBe("I like herons");
    });

    test("a match of two common words together is found, however old it is", async () => {
      const common = Array.from({ length: 30 }, (_, index) => ({
        text: `${index % 2 === 0 ? "osprey" : "bunker"} ${index}x`,
      }));
      const others = Array.from({ length: 600 }, (_, index) => ({ text: `filler ${index}y` }));
      const all = [{ text: "The osprey sleeps in the bunker" }, ...others, ...common];
      await add(all.map((one, index) => ({ ...one, id: `mem_${index}` })));
      await store.transaction((tx) => tx.tables((db) => optimizeIndex(db, database)));
      const text = textOf(10);
      const find = async () => (await search("osprey bunker", CHANNEL, text))[0];
      expect(await find()).toBe("The osprey sleeps in the bunker");
      expect(await find()).toBe("The osprey sleeps in the bunker");
      expect((await text.lists([[[termFor(scopeWord(CHANNEL, "people"), "wosprey")]]]))[0]?.seqs.length).toBeLessThan(
        11,
      );
    });

    test("scopes with a common prefix cannot read each other's memories", async () => {
      const [one, other] = alikeScopes();
      await add([
        { text: "The heron is up", scope: one, isPrivate: true },
        { text: "It rains", scope: other, isPrivate: true },
      ]);
      expect(await search("heron", one)).toEqual(["The heron is up"]);
      expect(await search("heron", other)).toEqual([]);
    });

    test("memories written by an earlier version are re-indexed", async () => {
      await add([{ text: "The heron is up" }, { text: "It rains" }]);
      await store.transaction((tx) => tx.tables((db) => db.memory.updateMany({ data: { terms: "" } })));
      expect(await search("heron")).toEqual([]);
      await indexMissing(store, AbortSignal.any([]));
      expect(await search("heron")).toEqual(["The heron is up"]);
    });

    /** Results of a search, and how many calls to the database it took. */
    const looksFor = async (query: string) => {
      let looks = 0;
      const text = textOf();
      const found = await search(query, CHANNEL, {
        lists: (queries) => ((looks += 1), text.lists(queries)),
        read: (wanted) => ((looks += 1), text.read(wanted)),
        beside: (lines) => ((looks += 1), text.beside(lines)),
      });
      return { found, looks };
    };

    test.each([
      ["the and of", 0],
      ["", 0],
      ["'\" OR ) ( * : &|!", 0],
      ["\u0000\u0007", 0],
      ["x".repeat(100_000), 2],
    ])("a query without meaningful words finds nothing: %j", async (query, looks) => {
      await add([{ text: "We deploy on Thursdays" }]);
      expect(await looksFor(query)).toEqual({ found: [], looks });
    });

    test("an empty index returns nothing after a single query", async () => {
      expect(await looksFor("where is Schwartzenberg's port")).toEqual({ found: [], looks: 1 });
    });

    test("an edited memory is found by its new words only, and a forgotten one not at all", async () => {
      await add([{ text: "We deploy on Thursdays" }, { text: "The heron is up" }]);
      const reads = store.tables(memoryReads);
      const [deploy, heron] = await reads.after(0, 10);
      const edited = { ...given, text: "We release on Mondays" };
      await write((writes) => writes.edit(deploy?.seq ?? 0, { text: edited.text, terms: indexed(edited).terms }));
      await write((writes) => writes.forget([heron?.seq ?? 0]));
      expect(await search("deploy")).toEqual([]);
      expect(await search("heron")).toEqual([]);
      expect(await search("release")).toEqual(["We release on Mondays"]);
    });

    test("a batch insert gives the same index as single inserts", async () => {
      const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1.2" } as const;
      const all = [
        { text: 'Zoë said "no" \\ yes\n🙂', isPrivate: true, position: 3, runId: "run_1", thread },
        { text: "We deploy on Thursdays", kind: "working", origin: "outside" },
      ] as const;
      await add(all);
      const columns = () => store.tables((db) => db.memory.findMany({ orderBy: { seq: "asc" }, omit: { seq: true } }));
      const before = await columns();
      const rows = all.map((one, index) => indexed({ ...given, id: `mem_${index}`, ...one }));
      await store.transaction((tx) => tx.tables((db) => addMany(db, database, { all: rows, at: AT })));
      expect(before).toHaveLength(2);
      expect(await columns()).toEqual(before);
      expect(await search("no yes deploy")).toHaveLength(1);
    });

    test("importing an existing memory replaces it", async () => {
      await add([{ text: "We deploy on Thursdays" }]);
      await add([{ text: "We deploy on Fridays" }]);
      expect(await search("deploy")).toEqual(["We deploy on Fridays"]);
    });

    test("forgetting a person deletes memories by and about them, and returns the number", async () => {
      await add([
        { text: "ana said one" },
        { text: "bob said of ana", author: { id: "slack:U2", name: "bob" }, scope: "person:slack:U1" },
        { text: "bob said two", author: { id: "slack:U2", name: "bob" } },
      ]);
      expect(await write((writes) => writes.forgetPerson("slack:U1"))).toBe(2);
      expect(await search("said")).toEqual(["bob said two"]);
    });

    test("memories that forgotten ones had replaced apply again", async () => {
      await add([{ text: "ana says Monday" }, { text: "bob says Friday", author: { id: "slack:U2", name: "bob" } }]);
      const [monday] = await store.tables(memoryReads).after(0, 1);
      const ended = async () => (await store.tables(memoryReads).after(0, 1))[0]?.endedAt;
      await write((writes) => writes.end(monday?.seq ?? 0, "mem_1", AT));
      await write((writes) => writes.forgetPerson("slack:U2"));
      expect(await ended()).toBeNull();

      await add([{ text: "ana says Friday", id: "mem_2" }]);
      const friday = (await store.tables(memoryReads).after(monday?.seq ?? 0, 1))[0]?.seq ?? 0;
      await write((writes) => writes.end(monday?.seq ?? 0, "mem_2", AT));
      await write((writes) => writes.forget([friday]));
      expect(await ended()).toBeNull();
    });

    test("an unreadable row does not affect others", async () => {
      await add([{ text: "We deploy on Thursdays" }, { text: "We deploy by hand", id: "mem_broken" }]);
      await store.transaction((tx) =>
        tx.tables((db) =>
          db.memory.updateMany({ where: { id: "mem_broken" }, data: { kind: "nonsense", thread: "{" } }),
        ),
      );
      expect(await search("deploy")).toEqual(["We deploy on Thursdays"]);
      const reads = store.tables(memoryReads);
      const place = { channelKey: "slack:C1", workspace: "slack:T1", personId: "slack:U1" };
      const [whole, ...others] = await reads.list(place, 10);
      expect([whole?.text, others]).toEqual(["We deploy on Thursdays", []]);
      expect((await reads.after(0, 10)).map(({ text }) => text)).toEqual(["We deploy on Thursdays"]);
      expect(await reads.get((whole?.seq ?? 0) + 1, [scopeWord(CHANNEL, "people")])).toBeNull();
    });

    test("a replaced memory ranks below its replacement", async () => {
      await add([{ text: "We deploy with Jenkins" }, { text: "We deploy with Buildkite" }]);
      const [jenkins] = await store.tables(memoryReads).after(0, 1);
      await write((writes) => writes.end(jenkins?.seq ?? 0, "mem_1", AT));
      expect(await search("what do we deploy with")).toEqual(["We deploy with Buildkite", "We deploy with Jenkins"]);
    });

    test("age only affects the ranking, and a pinned memory ranks above a newer one", async () => {
      await add([{ text: "The heron deploys itself" }]);
      const [old] = await store.tables(memoryReads).after(0, 1);
      await write((writes) => writes.pin(old?.seq ?? 0, true));
      await store.transaction((tx) =>
        tx.tables((db) => db.memory.updateMany({ data: { usedAt: new Date(AT - 90 * 86_400_000) } })),
      );
      await add([{ id: "mem_new", text: "The heron deploys nothing" }]);
      await store.transaction((tx) =>
        tx.tables((db) =>
          db.memory.updateMany({ where: { id: "mem_new" }, data: { usedAt: new Date(AT - 30 * 86_400_000) } }),
        ),
      );
      expect(await search("heron deploys")).toEqual(["The heron deploys itself", "The heron deploys nothing"]);
    });
  });
}

/** Two channels whose audience terms share the prefix that the index uses. */
function alikeScopes(): readonly [string, string] {
  const seen = new Map<string, string>();
  for (let channel = 0; ; channel += 1) {
    const scope = `channel:slack:C${channel}`;
    const prefix = prefixOf(termFor(scopeWord(scope, "people"), "w"));
    const other = seen.get(prefix);
    if (other !== undefined) return [other, scope];
    seen.set(prefix, scope);
  }
}
