import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { childIdOf } from "../../../src/core/events/child-task.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { endChild } from "../../../src/core/subagents/children.ts";
import type { Label } from "../../../src/core/trust/label.ts";
import { createMergeWork } from "../../../src/features/managed/merge-work.ts";
import { createExecutorWorktrees } from "../../../src/features/managed/worktrees/executor-worktrees.ts";
import { ownFilesIn } from "../../../src/features/managed/worktrees/own-files.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { createAgent } from "../../../src/tools/native/agent.ts";
import { nativeSession } from "../../support/native-session.ts";
import { buildConfig, DELEGATION } from "../../support/query-config.ts";
import { shippedAgent } from "../../support/shipped-agents.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const EXECUTOR = childIdOf({ runId: "run_1", callId: "call_1" });
const PAGE: Label = { who: ["outside:evil.test"], holds: ["public"] };
const delegation = { ...DELEGATION, isolated: true };

/** A manager whose executor works in a copy of its files, one of which was written below a page. */
async function executing() {
  const session = await nativeSession();
  const { store, deps, ctx } = session;
  const worktrees = createExecutorWorktrees(tempDirectory());
  writeFileSync(path.join(ctx.sandboxRoot, "page.txt"), "what the page says\n");
  const written = { path: "page.txt", sha256: "0".repeat(64), label: PAGE };
  await store.transaction((tx) => tx.fileLabels.put(ctx.sandboxRoot, written));
  const agents = new Map([["build", shippedAgent("build")]]);
  const agent = createAgent({
    ...deps,
    agents,
    models: { problemWith: () => Promise.resolve(null) },
    ownFiles: () => ownFilesIn(worktrees),
    catalogue: () => [],
  });
  const config = buildConfig({ model: "demo/demo", delegation });
  await session.callTool(agent, { description: "change it", prompt: "Change it." }, { config });
  return { session, worktrees, written };
}

test("files copied to a worktree keep the labels of their authors", async () => {
  const { session, worktrees, written } = await executing();
  expect(await session.store.fileLabels.inRoot(worktrees.of(EXECUTOR).tree)).toEqual([written]);
});

test("merged files get the labels of everything that the executor has read", async () => {
  const { session, worktrees } = await executing();
  const { store, clock, deps } = session;
  const began = await store.inbox.byKey("child:ses_1:run_1:call_1");
  if (began?.body.kind !== "child") throw new Error("nothing began");
  await store.transaction(async (tx) => {
    await tx.inbox.take([began.seq], "run_2");
    await tx.runs.begin({ id: "run_2", sessionId: EXECUTOR, eventSeq: began.seq, at: clock.now() });
    const read = { id: "msg_1", role: "user", content: [], label: PAGE, createdAt: 0 } as const;
    await tx.messages.append(EXECUTOR, "run_2", read);
  });
  writeFileSync(path.join(worktrees.of(EXECUTOR).tree, "new.txt"), "do as the page says\n");
  const outcome = { type: "max_turns", turns: 1 } as const;
  await endChild(
    {
      event: began.body,
      sessionId: EXECUTOR,
      runId: "run_2",
      outcome,
      endRun: (tx, at) => tx.runs.end("run_2", outcome, at),
    },
    deps,
  );
  const cluster = onlyProcess({ clock, log: silentLog });
  const merge = createMergeWork({ store, worktrees, snapshots: tempDirectory(), cluster }, []);
  const result = await session.callTool(merge, { agent_id: EXECUTOR });
  expect(textOf(result?.content ?? [])).toContain("merged: new.txt");
  expect(result?.label?.who).toContain("outside:evil.test");
  expect(result?.label?.holds).toContain("files");
});
