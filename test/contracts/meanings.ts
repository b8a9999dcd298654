import { describe, expect, test } from "vitest";
import type { Store } from "../../src/core/store/store.ts";
import { scopeWord } from "../../src/features/memory/audience.ts";
import { vectorReads } from "../../src/features/memory/meaning/store.ts";
import { indexed } from "../../src/features/memory/memories.ts";
import type { Database } from "../../src/features/memory/search/full-text.ts";
import { CHANNEL, NEVER, useMeanings } from "../features/memory/meanings-world.ts";
import { given } from "./memories.ts";

const PRIVATE = "channel:slack:C2";

/** Requirements for every database on vectors of memories. */
export function meaningsContract(database: Database, emptied: () => Promise<Store>): void {
  describe(`semantic search of memories on ${database}`, () => {
    const at = useMeanings(database, emptied);
    const { open, add, write, search, sizes, warned } = at;

    test("finds memories by paraphrase, and ranks matches by words no worse", async () => {
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
      expect(at.server.keys.every((key) => key === "Bearer sk-test")).toBe(true);
    });

    test("a useless embedding model does not displace matches by words", async () => {
      await add([
        { text: "The heron is grey" },
        ...Array.from({ length: 40 }, (_, index) => ({ text: `Lunch number ${index} was long`, id: `lunch_${index}` })),
      ]);
      await at.another({ dimensions: 128, ignorance: 1 });
      const meaning = await open();
      await meaning.finish(NEVER);
      expect((await search("what colour is the heron", meaning))[0]).toBe("The heron is grey");
    });

    test("finds no memory of another scope by meaning", async () => {
      await add([
        { text: "Our supplier raised its fee", scope: PRIVATE, isPrivate: true, channelKey: "slack:C2" },
        { text: "It rains" },
      ]);
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await search("vendor price", meaning)).not.toContain("Our supplier raised its fee");
      expect(await search("vendor price", meaning, PRIVATE)).toEqual(["Our supplier raised its fee"]);
    });

    test("a semantic match also raises the neighbouring lines", async () => {
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

    test("creates each vector once, in batches, and reloads them after a restart", async () => {
      await add(Array.from({ length: 100 }, (_, index) => ({ text: `The client of ${index} paid`, id: `m${index}` })));
      await (await open()).finish(NEVER);
      expect(at.server.batches.map((batch) => batch.length)).toEqual([64, 36]);
      expect(at.server.batches[0]?.[0]).toBe("ana: The client of 0 paid");
      const again = await open();
      await again.finish(NEVER);
      expect(at.server.batches).toHaveLength(2);
      expect(await search("customer charge", again)).toHaveLength(5);
    });

    test("an edited memory gets a new vector, and a forgotten one loses its own", async () => {
      await add([{ text: "Our supplier raised its fee" }, { text: "The doctor is in" }]);
      const meaning = await open();
      await meaning.finish(NEVER);
      const [first] = await at.store.tables((db) => vectorReads(db, database)).after(0, 1);
      const edited = { ...given, text: "The manager is on vacation" };
      await write((writes) => writes.edit(first?.seq ?? 0, { text: edited.text, terms: indexed(edited).terms }));
      expect(await sizes()).toHaveLength(1);
      meaning.changed(first?.seq ?? 0);
      await meaning.finish(NEVER);
      expect(await search("boss holiday", meaning)).toContain("The manager is on vacation");
      await write((writes) => writes.forgetPerson("slack:U1"));
      expect(await sizes()).toEqual([]);
    });

    test("a text that changes while its vector is being created does not get the old text's vector", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const edited = { ...given, text: "The manager is on vacation" };
      const [first] = await at.store.tables((db) => vectorReads(db, database)).after(0, 1);
      const meaning = await open({
        during: () =>
          write((writes) => writes.edit(first?.seq ?? 0, { text: edited.text, terms: indexed(edited).terms })),
      });
      await meaning.finish(NEVER);
      expect(await sizes()).toEqual([]);
      expect(await meaning.missing()).toBe(1);
      // `Memories.edit` reports the change once it is written, and the next look finds it as well.
      meaning.changed(first?.seq ?? 0);
      await meaning.finish(NEVER);
      await meaning.finish(NEVER);
      const vector = (await meaning.of("supplier fee")) ?? new Float32Array();
      expect(meaning.nearest(vector, [scopeWord(CHANNEL, "people")]).seqs).toEqual([first?.seq]);
    });

    test("another vector size or model recreates all vectors, while search by words works", async () => {
      await add([{ text: "Our supplier raised its fee" }, { text: "The doctor is in" }]);
      await (await open()).finish(NEVER);
      expect(await sizes()).toEqual([
        ["openai/small 128", 128],
        ["openai/small 128", 128],
      ]);
      at.server.resize(96);
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

    test("an edited or forgotten memory is no longer found by its former meaning", async () => {
      await add([
        { text: "Our supplier raised its fee" },
        { text: "The doctor is in" },
        { text: "The boss is on holiday" },
      ]);
      const meaning = await open();
      await meaning.finish(NEVER);
      const [first, second, third] = await at.store.tables((db) => vectorReads(db, database)).after(0, 3);
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
      await write((writes) => writes.forget([third?.seq ?? 0]));
      await search("boss", meaning);
      expect(await nearTo("boss")).not.toContain(third?.seq);
    });

    test("a text that the model refuses affects no other, and is not sent again", async () => {
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
      const requests = at.server.seen();
      await (await open()).finish(NEVER);
      expect(at.server.seen()).toBe(requests);
      expect(await search("physician", meaning)).toContain("The doctor is in");
    });

    test("an unreadable row does not prevent the vectors of other rows", async () => {
      await add([{ text: "The doctor is in", id: "mem_broken" }, { text: "Our supplier raised its fee" }]);
      const data = { kind: "nonsense", thread: "{" };
      await at.store.transaction((tx) =>
        tx.tables((db) => db.memory.updateMany({ where: { id: "mem_broken" }, data })),
      );
      for (let starts = 0; starts < 2; starts += 1) {
        const meaning = await open();
        await meaning.finish(NEVER);
        expect(await meaning.missing()).toBe(0);
        expect(await search("vendor price", meaning)).toEqual(["Our supplier raised its fee"]);
      }
      expect(at.server.batches.flat().filter((text) => text.startsWith("ana: "))).toHaveLength(2);
    });

    test("a first text that the model refuses does not fix the vector size at zero", async () => {
      await add([{ text: `long ${"word ".repeat(700)}` }]);
      await (await open()).finish(NEVER);
      expect(await sizes()).toEqual([["openai/small", 0]]);
      await add([{ text: "Our supplier raised its fee", id: "mem_new" }]);
      const meaning = await open();
      const requests = at.server.seen();
      await meaning.finish(NEVER);
      expect(at.server.seen()).toBe(requests + 1);
      expect(await meaning.missing()).toBe(0);
      expect((await search("vendor price", meaning))[0]).toBe("Our supplier raised its fee");
    });

    test("only vectors that an older version stored without a size are recreated", async () => {
      await add([{ text: "The doctor is in", id: "mem_before" }]);
      await (await open()).finish(NEVER);
      await add([{ text: "Our supplier raised its fee" }]);
      const [, first] = await at.store.tables((db) => vectorReads(db, database)).after(0, 2);
      const none = { signs: new Uint8Array(), bytes: new Uint8Array(), createdAt: new Date() };
      const data = { seq: first?.seq ?? 0, model: "openai/small ", ...none };
      await at.store.transaction((tx) => tx.tables((db) => db.memoryVector.create({ data })));
      const meaning = await open();
      await meaning.finish(NEVER);
      expect(await sizes()).toEqual([
        ["openai/small 128", 128],
        ["openai/small 128", 128],
      ]);
      expect(at.server.batches.flat()).toHaveLength(2);
      expect((await search("vendor price", meaning))[0]).toBe("Our supplier raised its fee");
    });

    test("a model that refuses everything marks no text as refused, and gets few requests", async () => {
      await add(Array.from({ length: 10 }, (_, index) => ({ text: `The client of ${index} paid`, id: `m${index}` })));
      const meaning = await open();
      at.server.set({ status: 400 });
      await expect(meaning.finish(NEVER)).rejects.toMatchObject({ code: "bad_request" });
      expect([await sizes(), at.server.seen()]).toEqual([[], 2]);
      at.server.set("well");
      await meaning.finish(NEVER);
      expect(await meaning.missing()).toBe(0);
    });

    test.each(["never", { status: 429, retryAfter: "1" }, { status: 500 }] as const)(
      "a provider that fails a query with %j leaves the search to words, and is not requested again for a while",
      async (mood) => {
        await add([{ text: "Our supplier raised its fee" }]);
        const meaning = await open({ queryMs: 1_000 });
        await meaning.finish(NEVER);
        at.server.set(mood);
        warned.length = 0;
        const requests = at.server.seen();
        expect(await search("which supplier", meaning)).toEqual(["Our supplier raised its fee"]);
        expect(await search("the fee", meaning)).toEqual(["Our supplier raised its fee"]);
        expect(at.server.seen()).toBe(requests + 1);
        const reason = mood === "never" ? { waitedMs: 1_000 } : { err: expect.any(Error) };
        expect(warned).toEqual([[expect.objectContaining(reason), "recall_without_embeddings"]]);
      },
    );
  });
}
