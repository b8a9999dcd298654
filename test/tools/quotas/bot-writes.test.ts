import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createExecutorWorktrees } from "../../../src/features/managed/worktrees/executor-worktrees.ts";
import { mergeChanges } from "../../../src/features/managed/worktrees/merge.ts";
import { openMergeLog } from "../../../src/features/managed/worktrees/merge-log.ts";
import { saveAttachment } from "../../../src/tools/attachments.ts";
import { DayGrowth } from "../../../src/tools/quotas/day-growth.ts";
import { createQuotas } from "../../../src/tools/quotas/quotas.ts";
import { createFileRestore } from "../../../src/tools/restore-files.ts";
import { keepContent } from "../../../src/tools/wasm/workspace/kept-content.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { MB } from "./quota-session.ts";

const WHO = { personId: "slack:U1", channelKey: "slack:C1" };
const { signal } = new AbortController();

/** A root with a quota of 1 MB that holds 900 kB, and the program's own writes. */
function fullRoot() {
  const home = tempDirectory();
  const root = path.join(home, "root");
  mkdirSync(root);
  writeFileSync(path.join(root, "there.bin"), Buffer.alloc(900_000));
  const limits = { root: () => MB, person: 2 * MB, channel: 3 * MB };
  const file = path.join(home, "growth.json");
  const clock = new ManualClock();
  const ledger = new DayGrowth({ file, clock, log: silentLog });
  const quotas = createQuotas({ limits, isGiven: () => false, ledger, clock, log: silentLog });
  return { home, root, quotas, place: { root, ...WHO } };
}

test("an attachment beyond the quota is not saved, and the model is told why", async () => {
  const { root, quotas } = fullRoot();
  const save = (name: string, bytes: number) =>
    saveAttachment({
      place: { sandboxRoot: root, ...WHO },
      name,
      data: Buffer.alloc(bytes, name),
      log: silentLog,
      quotas,
    });
  expect(await save("small.bin", 50_000)).toBe("attachments/small.bin");
  expect(await save("giant.bin", 500_000)).toEqual({
    refused: expect.stringMatching(/^The files here take up .* of 1 MB;/u),
  });
  expect(await save("more.bin", 60_000)).toEqual({
    refused: expect.stringMatching(/^The files here take up .* of 1 MB;/u),
  });
});

test("/undo restores the files that fit into the quota", async () => {
  const { home, root, quotas } = fullRoot();
  const snapshots = path.join(home, "snapshots");
  const kept = keepContent(snapshots, Buffer.alloc(500_000, "kept"));
  const restore = createFileRestore({ snapshots, quotas, sandboxRootOf: () => root });
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
  const steps = [{ path: "gone.bin", from: null, to: kept }];
  expect(await restore({ thread, steps, instructions: false })).toEqual([
    { type: "failed", reason: expect.stringMatching(/^The files here take up 9\d\d\.\d kB of 1 MB;/u) },
  ]);
  const there = createHash("sha256").update(Buffer.alloc(900_000)).digest("hex");
  const swap = [{ path: "there.bin", from: there, to: kept }];
  expect(await restore({ thread, steps: swap, instructions: false })).toEqual([{ type: "restored" }]);
});

test("an executor's files and its merged work count towards the quota of the requester", async () => {
  const { home, root, quotas, place } = fullRoot();
  await quotas.ready(place);
  const worktrees = createExecutorWorktrees(home, { quotas });
  await worktrees.make("agt_1", place, signal);
  await worktrees.make("agt_2", place, signal);
  await expect(worktrees.make("agt_3", place, signal)).rejects.toThrow(/requests have added 1\.8 MB of 2 MB/u);
  const worktree = worktrees.of("agt_1");
  writeFileSync(path.join(worktree.tree, "new.bin"), Buffer.alloc(190_000));
  const log = await openMergeLog(worktree, { runId: "run_1", callId: "call_1" });
  const take = (bytes: number) => quotas.take(place, bytes);
  const into = { root, worktree, snapshots: path.join(home, "snapshots"), log, signal, take };
  const { files } = await mergeChanges(await worktrees.changes("agt_1", signal), into);
  expect(files).toMatchObject([{ path: "new.bin", outcome: "conflict", why: expect.stringContaining("of 1 MB") }]);
  await worktrees.remove("agt_2");
  await expect(worktrees.make("agt_3", place, signal), "what a worktree took is given back").resolves.toBeUndefined();
});
