import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { childStartKey } from "../../../../src/core/events/child-event.ts";
import type { Store } from "../../../../src/core/store/store.ts";
import { beginChild } from "../../../../src/core/subagents/children.ts";
import { describeChanges } from "../../../../src/features/managed/worktrees/diff.ts";
import { createExecutorWorktrees } from "../../../../src/features/managed/worktrees/executor-worktrees.ts";
import { pruneWorktrees } from "../../../../src/features/managed/worktrees/prune-worktrees.ts";
import { childEvent } from "../../../support/child-event.ts";
import { interleaved } from "../../../support/database/interleaved-store.ts";
import { nativeSession } from "../../../support/native-session.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

const NOBODY = { personId: null, channelKey: "slack:C1" };

const DAY = 86_400_000;
const LIMITS = { bytes: 1_000_000, ageMs: 7 * DAY };
const { signal } = new AbortController();

/** A manager with a run in progress, and a root of a thousand bytes. */
async function scene(room: Parameters<typeof createExecutorWorktrees>[1] = {}) {
  const session = await nativeSession();
  const { store, clock, deps } = session;
  const home = tempDirectory();
  const root = path.join(home, "root");
  mkdirSync(root);
  writeFileSync(path.join(root, "a.txt"), "a".repeat(1_000));
  const worktrees = createExecutorWorktrees(home, room);
  const event = (callId: string) =>
    childEvent(
      { sessionId: "ses_1", runId: "run_1", callId },
      { task: { concurrencyLimit: 4, isolated: true }, at: clock.now() },
    );
  const endRun = (runId: string) =>
    store.transaction((tx) =>
      tx.runs.end(runId, { type: "cancelled", cause: { by: "person", name: "@ana" } }, clock.now()),
    );
  return {
    worktrees,
    clock,
    async begin(name: string) {
      await worktrees.make(name, { root, ...NOBODY }, signal);
      await beginChild({ id: name, settings: {} }, event(name), deps);
    },
    async end(name: string) {
      const began = await store.inbox.byKey(childStartKey(event(name)));
      await store.transaction(async (tx) => {
        await tx.inbox.take([began?.seq ?? 0], `run_${name}`);
        await tx.runs.begin({ id: `run_${name}`, sessionId: name, eventSeq: began?.seq ?? 0, at: clock.now() });
      });
      await endRun(`run_${name}`);
    },
    endManager: () => endRun("run_1"),
    prune: (limits = LIMITS, seen: Store = store) =>
      pruneWorktrees({ worktrees, store: seen, clock, limits, log: silentLog }),
    store,
    left: async () => (await worktrees.list()).map(({ name }) => name).sort(),
    make: (name: string) => worktrees.make(name, { root, ...NOBODY }, signal),
    home,
  };
}

test("a worktree that cannot be removed does not prevent the removal of others", async () => {
  const at = await scene();
  // This directory makes the removal fail.
  mkdirSync(`${path.dirname(at.worktrees.of("agt_2").tree)}.going/kept`, { recursive: true });
  for (const name of ["agt_1", "agt_2", "agt_3"]) await at.make(name);
  await at.clock.advance(DAY);
  await at.prune();
  expect(await at.left()).toEqual(["agt_2"]);
});

test("worktrees are kept while their manager or executor works, and then until they expire", async () => {
  const at = await scene();
  for (const name of ["agt_merged", "agt_open", "agt_queued"]) await at.begin(name);
  await at.end("agt_merged");
  await at.end("agt_open");
  await at.worktrees.taken("agt_merged");
  await at.clock.advance(30 * DAY);
  await at.prune();
  expect(await at.left()).toEqual(["agt_merged", "agt_open", "agt_queued"]);
  await at.endManager();
  await at.prune({ ...LIMITS, ageMs: 31 * DAY });
  expect(await at.left()).toEqual(["agt_open", "agt_queued"]);
  await at.prune();
  expect(await at.left()).toEqual(["agt_queued"]);
});

test.each([1, 2, 3, 4])(
  "a worktree is kept for its manager if its executor ends after %i queries of the pruning",
  async (looks) => {
    const at = await scene();
    await at.begin("agt_open");
    await at.endManager();
    const end = async () => {
      await at.end("agt_open");
      const note = { key: "note", body: { kind: "resume", of: "note" } } as const;
      const delivery = { sessionId: "ses_1", event: note, wakes: true, resumes: false, dueAt: 0, at: 0 };
      await at.store.transaction((tx) => tx.inbox.insert(delivery));
    };
    await at.prune({ ...LIMITS, bytes: 0 }, interleaved(at.store, looks, end));
    expect(await at.left()).toEqual(["agt_open"]);
  },
);

test("above the total size limit the oldest unneeded worktrees are removed first", async () => {
  const at = await scene();
  for (const name of ["agt_1", "agt_2", "agt_3"]) {
    await at.begin(name);
    await at.end(name);
  }
  await at.endManager();
  await at.prune({ ...LIMITS, bytes: 4_000 });
  expect(await at.left()).toEqual(["agt_2", "agt_3"]);
});

test("leftovers of a dead process are removed after an hour, and those that may just be starting are kept", async () => {
  const at = await scene();
  await at.make("agt_stray");
  mkdirSync(path.join(at.home, "executors/agt_half.making"));
  mkdirSync(path.join(at.home, "executors/agt_gone.going"));
  at.clock.set(Date.now());
  await at.prune();
  expect(await at.left()).toEqual(["agt_gone.going", "agt_half.making", "agt_stray"]);
  await at.clock.advance(DAY);
  await at.prune();
  expect(await at.left()).toEqual([]);
});

test("no worktree is created beyond the shared size limit, also by concurrent requests", async () => {
  const at = await scene({ bytes: 5_000 });
  const names = ["agt_1", "agt_2", "agt_3", "agt_4"];
  const made = await Promise.allSettled(names.map(at.make));
  expect(made.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
  expect(await at.left()).toEqual(["agt_1", "agt_2"]);
  await at.worktrees.remove("agt_1");
  await at.make("agt_3");
  expect(existsSync(at.worktrees.of("agt_3").base)).toBe(true);
});

test("a worktree may grow beyond the copying limit and still be compared, up to a limit that the error names", async () => {
  const at = await scene({ entries: 1 });
  await at.make("agt_1");
  const grow = (to: number) => {
    for (let n = 1; n < to; n++) writeFileSync(path.join(at.worktrees.of("agt_1").tree, `${n}`), "");
  };
  grow(5);
  expect(await at.worktrees.changes("agt_1", signal)).toHaveLength(4);
  grow(6);
  await expect(at.worktrees.changes("agt_1", signal)).rejects.toThrow("grown to more than 5 entries");
});

test("a worktree contains neither the home directory, if that is inside the root, nor other worktrees", async () => {
  const root = tempDirectory();
  const home = path.join(root, "data");
  mkdirSync(home);
  for (const name of ["a.txt", "data/deckhand.db", "data2"]) writeFileSync(path.join(root, name), name);
  const worktrees = createExecutorWorktrees(home);
  for (const name of ["agt_1", "agt_2"]) await worktrees.make(name, { root, ...NOBODY }, signal);
  expect(readdirSync(worktrees.of("agt_2").tree).sort()).toEqual(["a.txt", "data2"]);
});

test("a person who decides on a merge sees all changes, and a model as many as fit", async () => {
  const at = await scene();
  await at.make("agt_1");
  const worktree = at.worktrees.of("agt_1");
  writeFileSync(path.join(worktree.tree, "b.txt"), `${"b\n".repeat(9_000)}last\n`);
  const changes = await at.worktrees.changes("agt_1", signal);
  const shown = (whole: boolean) => describeChanges(changes, { worktree, signal, whole });
  expect((await shown(true)).endsWith("+last\n")).toBe(true);
  expect(await shown(false)).toContain("more characters");
});
