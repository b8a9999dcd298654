import { beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { lessonReads, lessonWrites } from "../../../src/features/memory/learning/store.ts";
import { indexed } from "../../../src/features/memory/memories.ts";
import { memoryReads, memoryWrites } from "../../../src/features/memory/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { given } from "../../contracts/memories.ts";
import type { EmptiedDatabase } from "../../support/database/emptied-databases.ts";

const AT = 1_800_000_000_000;

/** What every database must do for threads that wait to be learned from. */
export function lessonsContract(database: string, emptied: () => Promise<EmptiedDatabase>): void {
  describe(`lessons on ${database}`, () => {
    let store: Store;
    let url: string;

    beforeEach(async () => {
      ({ store, url } = await emptied());
    });

    const reads = () => store.tables(lessonReads);
    const write = <T>(work: (writes: ReturnType<typeof lessonWrites>) => Promise<T>) =>
      store.transaction((tx) => work(tx.tables(lessonWrites)));
    const note = (sessionId: string, after: number, dueAt = AT) =>
      write((lessons) => lessons.note({ sessionId, after, dueAt }));
    const due = async (at = AT) => {
      const lesson = await reads().due(at);
      if (lesson === null) throw new Error("No lesson is due.");
      return lesson;
    };

    test("a thread has a pending lesson from its first run on, covering all of its messages", async () => {
      await note("ses_1", 3);
      await note("ses_1", 7, AT + 5_000);
      expect(await reads().nextDue()).toBe(AT);
      expect(await reads().due(AT - 1)).toBeNull();
      expect(await due()).toEqual({ sessionId: "ses_1", after: 3, isAsked: false, tries: 0 });
    });

    test("pending lessons come in order of their due times, one per session", async () => {
      await note("ses_1", 1, AT + 2);
      await note("ses_2", 2, AT + 1);
      expect((await due(AT + 2)).sessionId).toBe("ses_2");
      expect((await reads().waiting()).toSorted()).toEqual(["ses_1", "ses_2"]);
    });

    test("a lesson is completed once, even if several processes work on it", async () => {
      await note("ses_1", 3);
      const other = await openStore(url, systemRuntime());
      const lesson = await due();
      const learn = (by: Store, id: string) =>
        by.transaction(async (tx) => {
          if (!(await tx.tables(lessonWrites).close(lesson, 9, null))) return false;
          await tx.tables(memoryWrites).add(indexed({ ...given, id, text: "The heron ships on Thursdays" }), AT);
          return true;
        });
      const learned = await Promise.all([learn(store, "mem_1"), learn(other, "mem_2")]);
      await other.close();
      expect(learned.toSorted()).toEqual([false, true]);
      expect(await learn(store, "mem_3")).toBe(false);
      expect(await store.tables(memoryReads).after(0, 10)).toHaveLength(1);
      expect(await reads().nextDue()).toBeNull();
    });

    test("a transaction that is rolled back leaves the lesson unchanged", async () => {
      await note("ses_1", 3);
      const lesson = await due();
      const cut = store.transaction(async (tx) => {
        await tx.tables(lessonWrites).close(lesson, 9, null);
        await tx.tables(memoryWrites).add(indexed({ ...given, id: "mem_1", text: "The heron" }), AT);
        throw new Error("cut");
      });
      await expect(cut).rejects.toThrow("cut");
      expect(await due()).toEqual(lesson);
      expect(await store.tables(memoryReads).after(0, 10)).toEqual([]);
    });

    test("messages after a lesson become a lesson of their own", async () => {
      await note("ses_1", 3);
      expect(await write(async (lessons) => lessons.close(await due(), 9, null))).toBe(true);
      await note("ses_1", 12, AT + 1);
      expect(await due(AT + 1)).toMatchObject({ after: 12, tries: 0 });
    });

    test("messages that arrive during a lesson are learned next, from where it ended", async () => {
      await note("ses_1", 3);
      const lesson = await due();
      await write((lessons) => lessons.close(lesson, 9, AT + 4));
      expect(await reads().nextDue()).toBe(AT + 4);
      expect(await due(AT + 4)).toMatchObject({ after: 9 });
    });

    test("a failed lesson is postponed with its number of attempts; a completed lesson cannot be postponed", async () => {
      await note("ses_1", 3);
      const lesson = await due();
      await write((lessons) => lessons.postpone(lesson, AT + 6, 1));
      expect(await reads().due(AT)).toBeNull();
      expect(await due(AT + 6)).toMatchObject({ after: 3, tries: 1 });
      await write((lessons) => lessons.close(lesson, 9, null));
      await write((lessons) => lessons.postpone(lesson, AT, 2));
      expect(await reads().nextDue()).toBeNull();
    });

    test("a requested lesson covers the whole thread, is due at once, and is no longer marked as requested once done", async () => {
      await note("ses_1", 3, AT + 60_000);
      await write((lessons) => lessons.ask("ses_1", AT));
      expect(await due()).toEqual({ sessionId: "ses_1", after: 0, isAsked: true, tries: 0 });
      await write(async (lessons) => lessons.close(await due(), 9, AT + 1));
      expect(await due(AT + 1)).toMatchObject({ after: 9, isAsked: false });
    });

    test("dropping a session's lesson affects no other lesson", async () => {
      await note("ses_1", 1);
      await note("ses_2", 2);
      const lesson = await due();
      await write((lessons) => lessons.drop([lesson.sessionId]));
      expect(await write((lessons) => lessons.close(lesson, 9, null))).toBe(false);
      expect(await reads().waiting()).toHaveLength(1);
    });
  });
}
