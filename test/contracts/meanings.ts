import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBackgroundEmbedders } from "../../src/core/budget/background-embedder.ts";
import type { BudgetSettings } from "../../src/core/budget/limits.ts";
import { type Embedder, embeddersOf } from "../../src/core/providers/openai/embedder.ts";
import { openStore, type Store } from "../../src/core/store/store.ts";
import { scopeWord } from "../../src/features/memory/audience.ts";
import { createMeaning, type MeaningWork } from "../../src/features/memory/meaning/meaning.ts";
import { vectorReads } from "../../src/features/memory/meaning/store.ts";
import { indexed } from "../../src/features/memory/memories.ts";
import type { NewMemory } from "../../src/features/memory/memory.ts";
import { find } from "../../src/features/memory/search/find.ts";
import type { Database } from "../../src/features/memory/search/full-text.ts";
import { fullText } from "../../src/features/memory/search/store.ts";
import { memoryWrites } from "../../src/features/memory/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { type EmbeddingsServer, startEmbeddings, tokensOf } from "../support/model/embeddings-server.ts";
import { given } from "./memories.ts";
import type { DatabaseHarness } from "./store.ts";

const CHANNEL = "channel:slack:C1";
const PRIVATE = "channel:slack:C2";
const NEVER = AbortSignal.any([]);
const USD_PER_MILLION = 3;

interface Opened {
  readonly perDay?: number;
  readonly model?: string;
  readonly queryMs?: number;
  readonly budgets?: BudgetSettings;
  /** What happens between a request and what comes of it. */
  readonly during?: () => Promise<void>;
}

/** What every database must do for vectors of memories. */
export function meaningsContract(database: Database, openHarness: () => Promise<DatabaseHarness>): void {
  describe(`what memories mean, on ${database}`, () => {
    let harness: DatabaseHarness;
    let store: Store;
    let server: EmbeddingsServer;
    const runtime = systemRuntime();
    const warned: (readonly unknown[])[] = [];

    beforeAll(async () => {
      harness = await openHarness();
    });
    afterAll(() => harness.close());
    beforeEach(async () => {
      store = await openStore(await harness.create(), runtime);
      server = await startEmbeddings();
    });
    afterEach(async () => {
      await server[Symbol.asyncDispose]();
      await store.close();
    });

    const open = async (how: Opened = {}): Promise<MeaningWork> => {
      const { perDay = 1_000, model = "openai/small", queryMs = 10_000, during, budgets = {} } = how;
      const models = { small: { price: { input: USD_PER_MILLION, output: 0 } } };
      const settings = { openai: { apiKey: "sk-test", baseUrl: server.url, models } };
      const real = await embeddersOf(settings, runtime)(model);
      const slow: Embedder = {
        ...real,
        async embed(texts, signal) {
          const embedded = await real.embed(texts, signal);
          await during?.();
          return embedded;
        },
      };
      const counted = { store, runtime, settings: budgets };
      const embedder = await createBackgroundEmbedders(() => Promise.resolve(slow), counted)(model, "memory");
      const log = { info: () => undefined, warn: (...told: readonly unknown[]) => void warned.push(told) };
      return createMeaning({ store, runtime, log, database, embedder, perDay }, queryMs);
    };
    const add = (all: readonly Partial<NewMemory>[]) =>
      store.transaction((tx) =>
        tx.tables(memoryWrites).add(
          all.map((one, index) => indexed({ ...given, id: `mem_${index}`, ...one })),
          runtime.clock.now(),
        ),
      );
    const write = <T>(work: (writes: ReturnType<typeof memoryWrites>) => Promise<T>) =>
      store.transaction((tx) => work(tx.tables(memoryWrites)));
    const search = async (query: string, meaning?: MeaningWork, scope = CHANNEL) => {
      const text = store.tables((db) => fullText(db, database));
      const readers = [scopeWord(scope, "people")];
      const hits = await find({ query, readers, limit: 5 }, { text, meaning, now: runtime.clock.now() });
      return hits.map(({ memory }) => memory.text);
    };
    const sizes = async () => {
      const rows = await store.tables((db) => db.memoryVector.findMany({ orderBy: { seq: "asc" } }));
      return rows.map(({ model, bytes }) => [model, bytes.length]);
    };

    test("finds what is said in other words, and words find it no worse", async () => {
      await add([
        { text: "Our supplier raised its fee" },
        { text: "The heron is grey" },
        ...Array.from({ length: 20 }, (_, index) => ({ text: `Lunch number ${index} was long`, id: `lunch_${index}` })),
      ]);
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await search("vendor price")).toEqual([]);
      expect((await search("vendor price", meaning))[0]).toBe("Our supplier raised its fee");
      expect((await search("what colour is the heron", meaning))[0]).toBe("The heron is grey");
      expect(server.keys.every((key) => key === "Bearer sk-test")).toBe(true);
    });

    test("a model that knows nothing leads nobody away from what words find", async () => {
      await add([
        { text: "The heron is grey" },
        ...Array.from({ length: 40 }, (_, index) => ({ text: `Lunch number ${index} was long`, id: `lunch_${index}` })),
      ]);
      await server[Symbol.asyncDispose]();
      server = await startEmbeddings({ dimensions: 128, ignorance: 1 });
      const meaning = await open();
      await meaning.finish(NEVER);
      expect((await search("what colour is the heron", meaning))[0]).toBe("The heron is grey");
    });

    test("finds nothing of another scope by what it means", async () => {
      await add([
        { text: "Our supplier raised its fee", scope: PRIVATE, isPrivate: true, channelKey: "slack:C2" },
        { text: "It rains" },
      ]);
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await search("vendor price", meaning)).not.toContain("Our supplier raised its fee");
      expect(await search("vendor price", meaning, PRIVATE)).toEqual(["Our supplier raised its fee"]);
    });

    test("what a line means it lends to the lines beside it", async () => {
      const answer = "Forty crowns since the month of May, as the letter that came from Bergen yesterday says";
      await add([
        { text: "Our supplier raised its fee", position: 1, source: "talk" },
        { text: answer, position: 2, source: "talk" },
        ...Array.from({ length: 100 }, (_, at) => ({ text: `Has lunch ${at} a fee?`, id: `lunch_${at}` })),
      ]);
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await search("vendor price", meaning)).toContain(answer);
    });

    test("makes each vector once, in batches, and holds them anew after a start", async () => {
      await add(Array.from({ length: 100 }, (_, index) => ({ text: `The client of ${index} paid`, id: `m${index}` })));
      await (await open()).finish(NEVER);
      expect(server.batches.map((batch) => batch.length)).toEqual([64, 36]);
      expect(server.batches[0]?.[0]).toBe("ana: The client of 0 paid");
      const again = await open();
      await again.finish(NEVER);
      expect(server.batches).toHaveLength(2);
      expect(await search("customer charge", again)).toHaveLength(5);
    });

    test("what is edited gets another vector, and what is forgotten keeps none", async () => {
      await add([{ text: "Our supplier raised its fee" }, { text: "The doctor is in" }]);
      const meaning = await open();
      await meaning.finish(NEVER);
      const [first] = await store.tables((db) => vectorReads(db, database)).after(0, 1);
      const edited = { ...given, text: "The manager is on vacation" };
      await write((writes) => writes.edit(first?.seq ?? 0, { text: edited.text, terms: indexed(edited).terms }));
      expect(await sizes()).toHaveLength(1);
      meaning.changed(first?.seq ?? 0);
      await meaning.finish(NEVER);
      expect(await search("boss holiday", meaning)).toContain("The manager is on vacation");
      await write((writes) => writes.forgetPerson("slack:U1"));
      expect(await sizes()).toEqual([]);
    });

    test("a text that changes while its vector is made gets none of the old one's", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const edited = { ...given, text: "The manager is on vacation" };
      const [first] = await store.tables((db) => vectorReads(db, database)).after(0, 1);
      const meaning = await open({
        during: () =>
          write((writes) => writes.edit(first?.seq ?? 0, { text: edited.text, terms: indexed(edited).terms })),
      });
      await meaning.finish(NEVER);
      expect(await sizes()).toEqual([]);
      expect(await meaning.missing()).toBe(1);
      // As `Memories.edit` tells once it is written, and as the next look finds.
      meaning.changed(first?.seq ?? 0);
      await meaning.finish(NEVER);
      await meaning.finish(NEVER);
      const vector = (await meaning.of("supplier fee")) ?? new Float32Array();
      expect(meaning.nearest(vector, [scopeWord(CHANNEL, "people")]).seqs).toEqual([first?.seq]);
    });

    test("another size, and another model, make all anew; words find meanwhile", async () => {
      await add([{ text: "Our supplier raised its fee" }, { text: "The doctor is in" }]);
      await (await open()).finish(NEVER);
      expect(await sizes()).toEqual([
        ["openai/small 128", 128],
        ["openai/small 128", 128],
      ]);
      server.resize(96);
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await search("supplier", meaning)).toEqual(["Our supplier raised its fee"]);
      await meaning.finish(NEVER);
      expect(await sizes()).toEqual([
        ["openai/small 96", 96],
        ["openai/small 96", 96],
      ]);
      expect(await search("vendor price", meaning)).toContain("Our supplier raised its fee");
      const other = await open({ model: "openai/large" });
      await other.finish(NEVER);
      expect(await sizes()).toEqual([
        ["openai/large 96", 96],
        ["openai/large 96", 96],
      ]);
    });

    test("what is edited or forgotten is near to nothing that it meant", async () => {
      await add([
        { text: "Our supplier raised its fee" },
        { text: "The doctor is in" },
        { text: "The boss is on holiday" },
      ]);
      const meaning = await open();
      await meaning.finish(NEVER);
      const [first, second, third] = await store.tables((db) => vectorReads(db, database)).after(0, 3);
      const nearTo = async (query: string) => {
        const vector = (await meaning.of(query)) ?? new Float32Array();
        return meaning.nearest(vector, [scopeWord(CHANNEL, "people")]).seqs;
      };
      expect((await nearTo("supplier fee"))[0]).toBe(first?.seq);
      const edited = { ...given, text: "The physician is ill" };
      await write((writes) => writes.edit(first?.seq ?? 0, { text: edited.text, terms: indexed(edited).terms }));
      meaning.changed(first?.seq ?? 0);
      expect(await nearTo("supplier fee")).not.toContain(first?.seq);
      await meaning.finish(NEVER);
      expect((await nearTo("supplier fee")).filter((seq) => seq === first?.seq)).toHaveLength(1);
      expect(new Set((await nearTo("doctor")).slice(0, 2))).toEqual(new Set([first?.seq, second?.seq]));
      await write((writes) => writes.forget(third?.seq ?? 0));
      await search("boss", meaning);
      expect(await nearTo("boss")).not.toContain(third?.seq);
    });

    test("a text that the model refuses costs no other, and is not sent again", async () => {
      await add([
        { text: "Our supplier raised its fee" },
        { text: `long ${"word ".repeat(700)}` },
        { text: "The doctor is in" },
      ]);
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await meaning.missing()).toBe(0);
      expect(await sizes()).toEqual([
        ["openai/small 128", 128],
        ["openai/small", 0],
        ["openai/small 128", 128],
      ]);
      const requests = server.seen();
      await (await open()).finish(NEVER);
      expect(server.seen()).toBe(requests);
      expect(await search("physician", meaning)).toContain("The doctor is in");
    });

    test("a first text that the model refuses makes no model of no size", async () => {
      await add([{ text: `long ${"word ".repeat(700)}` }]);
      await (await open()).finish(NEVER);
      expect(await sizes()).toEqual([["openai/small", 0]]);
      await add([{ text: "Our supplier raised its fee", id: "mem_new" }]);
      const meaning = await open();
      const requests = server.seen();
      await meaning.finish(NEVER);
      expect(server.seen()).toBe(requests + 1);
      expect(await meaning.missing()).toBe(0);
      expect((await search("vendor price", meaning))[0]).toBe("Our supplier raised its fee");
    });

    test("what an older version has kept without a size is made anew, and nothing else", async () => {
      await add([{ text: "The doctor is in", id: "mem_before" }]);
      await (await open()).finish(NEVER);
      await add([{ text: "Our supplier raised its fee" }]);
      const [, first] = await store.tables((db) => vectorReads(db, database)).after(0, 2);
      const none = { signs: new Uint8Array(), bytes: new Uint8Array(), createdAt: new Date() };
      const data = { seq: first?.seq ?? 0, model: "openai/small ", ...none };
      await store.transaction((tx) => tx.tables((db) => db.memoryVector.create({ data })));
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await sizes()).toEqual([
        ["openai/small 128", 128],
        ["openai/small 128", 128],
      ]);
      expect(server.batches.flat()).toHaveLength(2);
      expect((await search("vendor price", meaning))[0]).toBe("Our supplier raised its fee");
    });

    test("a model that refuses everything marks no text, and is asked little", async () => {
      await add(Array.from({ length: 10 }, (_, index) => ({ text: `The client of ${index} paid`, id: `m${index}` })));
      const meaning = await open();
      server.set({ status: 400 });
      await expect(meaning.finish(NEVER)).rejects.toMatchObject({ code: "bad_request" });
      expect([await sizes(), server.seen()]).toEqual([[], 2]);
      server.set("well");
      await meaning.finish(NEVER);
      expect(await meaning.missing()).toBe(0);
    });

    test("no more is sent in a day than is allowed", async () => {
      await add(Array.from({ length: 10 }, (_, index) => ({ text: `The client of ${index} paid`, id: `m${index}` })));
      const meaning = await open({ perDay: 4 });
      expect(await meaning.finish(NEVER)).toBe(false);
      expect(await meaning.finish(NEVER)).toBe(false);
      expect(server.batches.flat()).toHaveLength(4);
      expect(await meaning.missing()).toBe(6);
    });

    test("what is edited, forgotten or refused has been sent all the same, also before a start", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const [first] = await store.tables((db) => vectorReads(db, database)).after(0, 1);
      const edit = async (text: string) => {
        const terms = indexed({ ...given, text }).terms;
        await write((writes) => writes.edit(first?.seq ?? 0, { text, terms }));
      };
      await (await open({ perDay: 5 })).finish(NEVER);
      await edit("The manager is on vacation");
      await (await open({ perDay: 5 })).finish(NEVER);
      // Sent, refused, and a harmless text to tell whose fault it is.
      await edit(`long ${"word ".repeat(700)}`);
      await (await open({ perDay: 5 })).finish(NEVER);
      await write((writes) => writes.forget(first?.seq ?? 0));
      await add([
        { text: "The doctor is in", id: "mem_a" },
        { text: "The heron is grey", id: "mem_b" },
      ]);
      const meaning = await open({ perDay: 5 });
      expect(await meaning.finish(NEVER)).toBe(false);
      expect(await meaning.missing()).toBe(1);
      expect(server.seen()).toBe(5);
    });

    test("all that is sent is spent: what is remembered, and what is asked", async () => {
      await add([{ text: "Our supplier raised its fee" }, { text: `long ${"word ".repeat(700)}` }]);
      const meaning = await open();
      await meaning.finish(NEVER);
      await meaning.of("vendor price");
      await meaning.of("vendor price");
      await meaning.settle();
      await meaning.settle();
      const tokens = server.batches.flat().reduce((sum, text) => sum + tokensOf(text), 0);
      expect(server.batches.flat()).toContain("vendor price");
      const [sum, ...others] = await store.usage.sumsBy("model", { since: 0 });
      expect(others).toEqual([]);
      expect(sum).toMatchObject({ key: "openai/small", tokens, unpriced: 0 });
      expect(sum?.costUsd).toBeCloseTo((tokens * USD_PER_MILLION) / 1_000_000, 12);
    });

    test("a limit of the day holds, what one run, person or channel may spend does not", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const stopped = await open({ budgets: { dayTokens: 5 } });
      expect(await stopped.finish(NEVER)).toBe(false);
      const dear = await open({ budgets: { dayUsd: 0.000_001 } });
      expect(await dear.finish(NEVER)).toBe(false);
      expect(server.seen()).toBe(0);
      const going = await open({
        budgets: { dayTokens: 50, runTokens: 1, sessionTokens: 1, userUsd: 0, channelUsd: 0 },
      });
      expect(await going.finish(NEVER)).toBe(true);
      const held = await store.transaction((tx) => tx.budgets.held());
      expect(held).toEqual([]);
    });

    test("what is sent as the program stops is charged when it is sent anew", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const stopping = new AbortController();
      const cut = await open({ budgets: { dayTokens: 100 } });
      server.set("never");
      const pass = cut.finish(stopping.signal).catch(() => "cut");
      await expect.poll(() => server.seen()).toBe(1);
      stopping.abort();
      expect(await pass).toBe("cut");
      server.set("well");
      await (await open({ budgets: { dayTokens: 100 } })).finish(NEVER);
      const { calls } = await store.usage.total({ since: 0 });
      expect(calls).toBe(2);
    });

    test.each(["never", { status: 429, retryAfter: "1" }, { status: 500 }] as const)(
      "a provider that answers a question with %j leaves recall to words, and is left alone for a while",
      async (mood) => {
        await add([{ text: "Our supplier raised its fee" }]);
        const meaning = await open({ queryMs: 1_000 });
        await meaning.finish(NEVER);
        server.set(mood);
        warned.length = 0;
        const requests = server.seen();
        expect(await search("which supplier", meaning)).toEqual(["Our supplier raised its fee"]);
        expect(await search("the fee", meaning)).toEqual(["Our supplier raised its fee"]);
        expect(server.seen()).toBe(requests + 1);
        const reason = mood === "never" ? { waitedMs: 1_000 } : { err: expect.any(Error) };
        expect(warned).toEqual([[expect.objectContaining(reason), "recall_without_embeddings"]]);
      },
    );
  });
}
