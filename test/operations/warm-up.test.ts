import { expect, test } from "vitest";
import { EmbeddedEngine } from "../../src/core/embedded-engine/embedded-engine.ts";
import { DEMO_MODEL } from "../../src/core/providers/catalog.ts";
import { liveProviders } from "../../src/core/providers/registry/live-providers.ts";
import { createProviderRegistry } from "../../src/core/providers/registry/registry.ts";
import { trackWork, warmUp } from "../../src/operations/warm-up.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { createSession, event, Recorder } from "../contracts/engine-recorder.ts";
import { useEmptiedDatabases } from "../support/database/emptied-databases.ts";
import { silentLog } from "../support/silent-log.ts";

const emptied = useEmptiedDatabases();
const runtime = systemRuntime();
const log = silentLog;

test("the warm-up prepares a first message, but never during or after a run", async () => {
  const store = await emptied();
  const target = () => ({ find: () => Promise.resolve(null), post: () => Promise.reject(new Error("nobody posts")) });
  const engine = new EmbeddedEngine({ store, runtime, log, maxConcurrentRuns: 4, target });
  const runs = new Recorder();
  const { handler, hasWorked } = trackWork(runs.handler());
  await engine.start(handler);

  let reads = 0;
  let sandboxes = 0;
  const parts = {
    store,
    runtime,
    log,
    config: { sandbox: "/nowhere" },
    providers: liveProviders({}),
    model: DEMO_MODEL,
    registry: createProviderRegistry({ settings: {}, runtime, log }),
    toolbox: { tools: () => [], sandbox: { ready: async () => void (sandboxes += 1) } },
    skills: () => {
      reads += 1;
    },
    hasWorked,
  };
  const { signal } = new AbortController();
  await warmUp(parts, signal);
  expect({ reads, sandboxes }).toEqual({ reads: 1, sandboxes: 1 });

  await engine.deliver(await createSession(store), event("slack:T1:C1:1"));
  await runs.ended(1);
  await warmUp(parts, signal);
  expect({ reads, sandboxes }).toEqual({ reads: 1, sandboxes: 1 });
  await engine.stop(0);
});
