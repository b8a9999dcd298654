import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { InboundMessage } from "../../../src/core/protocol/platform.ts";
import { EmbeddedEngine } from "../../../src/core/sessions/embedded-engine.ts";
import { createIntake, type IntakeOptions } from "../../../src/core/sessions/intake.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { Recorder } from "../../contracts/engine-recorder.ts";
import { commandServices } from "../../support/command-services.ts";
import { silentLog } from "../../support/silent-log.ts";

const NO_PLATFORM = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) };

const MENTION: InboundMessage = {
  kind: "message",
  key: "slack:T1:C1:1",
  workspace: { id: "T1", name: "Acme" },
  channel: { id: "C1", name: "ops", kind: "channel" },
  thread: { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" },
  person: { id: "slack:U1", name: "ana", roles: [], isBot: false, isGuest: false, isExternal: false },
  at: 1_800_000_000_000,
  text: "hello",
  addressed: "mention",
  opensThread: true,
  attachments: [],
  quoted: [],
  messageId: "1",
};

test("a mention that a platform delivers again begins one run, also when another process takes it", async () => {
  const { options, recorder } = await intakeOptions();
  const receive = createIntake(options);
  expect(await Promise.all([receive(MENTION), receive(MENTION)])).toEqual([{ type: "accepted" }, { type: "accepted" }]);
  expect(await receive(MENTION)).toEqual({ type: "accepted" });
  expect(await createIntake(options)(MENTION)).toEqual({ type: "duplicate" });
  await recorder.ended(1);
  expect(recorder.keys()).toEqual([MENTION.key]);
});

test("a mention that could not be kept is taken when it is delivered again", async () => {
  const { options, recorder } = await intakeOptions();
  let isAway = true;
  const transaction: Store["transaction"] = (work) =>
    isAway ? Promise.reject(new Error("the store is away")) : options.store.transaction(work);
  const receive = createIntake({ ...options, store: { ...options.store, transaction } });
  await expect(receive(MENTION)).rejects.toThrow("the store is away");
  isAway = false;
  expect(await receive(MENTION)).toEqual({ type: "accepted" });
  await recorder.ended(1);
});

/** A store and an engine whose runs end at once. */
async function intakeOptions() {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-intake-"));
  const runtime = systemRuntime();
  const store = await openStore(`file:${path.join(directory, "intake.db")}`, runtime);
  const log = silentLog;
  const engine = new EmbeddedEngine({ store, runtime, log, maxConcurrentRuns: 32, target: () => NO_PLATFORM });
  const recorder = new Recorder();
  await engine.start(recorder.handler());
  onTestFinished(async () => {
    await engine.stop(1_000);
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const options: IntakeOptions = {
    store,
    engine,
    runtime,
    log,
    approvals: { approvers: [], requester: true, expiresMinutes: 60, admins: [] },
    access: { admins: [], deny: [], guests: false, external: false },
    requiresMention: () => false,
    ...commandServices(),
  };
  return { options, recorder };
}
