import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/core/store/store.ts";
import { vectorReads } from "../../../src/features/memory/meaning/store.ts";
import { indexed } from "../../../src/features/memory/memories.ts";
import type { Database } from "../../../src/features/memory/search/full-text.ts";
import { given } from "../../contracts/memories.ts";
import { tokensOf } from "../../support/model/embeddings-server.ts";
import { NEVER, USD_PER_MILLION, useMeanings } from "./meanings-world.ts";

/** How every database counts what is sent for vectors of memories. */
export function meaningsSpentContract(database: Database, emptied: () => Promise<Store>): void {
  describe(`embedding budgets on ${database}`, () => {
    const at = useMeanings(database, emptied);
    const { open, add, write } = at;

    test("no more than the daily limit is sent", async () => {
      await add(Array.from({ length: 10 }, (_, index) => ({ text: `The client of ${index} paid`, id: `m${index}` })));
      const meaning = await open({ perDay: 4 });
      expect(await meaning.finish(NEVER)).toBe(false);
      expect(await meaning.finish(NEVER)).toBe(false);
      expect(at.server.batches.flat()).toHaveLength(4);
      expect(await meaning.missing()).toBe(6);
    });

    test("text that was later edited, forgotten or refused still counts, also across a restart", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const [first] = await at.store.tables((db) => vectorReads(db, database)).after(0, 1);
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
      await write((writes) => writes.forget([first?.seq ?? 0]));
      await add([
        { text: "The doctor is in", id: "mem_a" },
        { text: "The heron is grey", id: "mem_b" },
      ]);
      const meaning = await open({ perDay: 5 });
      expect(await meaning.finish(NEVER)).toBe(false);
      expect(await meaning.missing()).toBe(1);
      expect(at.server.seen()).toBe(5);
    });

    test("both memories and questions are charged", async () => {
      await add([{ text: "Our supplier raised its fee" }, { text: `long ${"word ".repeat(700)}` }]);
      const meaning = await open();
      await meaning.finish(NEVER);
      await meaning.of("vendor price");
      await meaning.of("vendor price");
      await meaning.settle();
      await meaning.settle();
      const tokens = at.server.batches.flat().reduce((sum, text) => sum + tokensOf(text), 0);
      expect(at.server.batches.flat()).toContain("vendor price");
      const [sum, ...others] = await at.store.usage.sumsBy("model", { since: 0 });
      expect(others).toEqual([]);
      expect(sum).toMatchObject({ key: "openai/small", tokens, unpriced: 0 });
      expect(sum?.costUsd).toBeCloseTo((tokens * USD_PER_MILLION) / 1_000_000, 12);
    });

    test("daily limits apply; limits for a run, person or channel do not", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const stopped = await open({ budgets: { dayTokens: 5 } });
      expect(await stopped.finish(NEVER)).toBe(false);
      const dear = await open({ budgets: { dayUsd: 0.000_001 } });
      expect(await dear.finish(NEVER)).toBe(false);
      expect(at.server.seen()).toBe(0);
      const going = await open({
        budgets: { dayTokens: 50, runTokens: 1, sessionTokens: 1, userUsd: 0, channelUsd: 0 },
      });
      expect(await going.finish(NEVER)).toBe(true);
      const held = await at.store.transaction((tx) => tx.budgets.held());
      expect(held).toEqual([]);
    });

    test("a request that is interrupted by shutdown is charged when it is sent again", async () => {
      await add([{ text: "Our supplier raised its fee" }]);
      const stopping = new AbortController();
      const cut = await open({ budgets: { dayTokens: 100 } });
      at.server.set("never");
      const pass = cut.finish(stopping.signal).catch(() => "cut");
      await expect.poll(() => at.server.seen()).toBe(1);
      stopping.abort();
      expect(await pass).toBe("cut");
      at.server.set("well");
      await (await open({ budgets: { dayTokens: 100 } })).finish(NEVER);
      const { calls } = await at.store.usage.total({ since: 0 });
      expect(calls).toBe(2);
    });
  });
}
