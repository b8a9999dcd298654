import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Wake } from "../../../src/core/engine/engine.ts";
import { createTurnContext } from "../../../src/core/engine/turn-context.ts";
import type { RunView } from "../../../src/core/progress/run-view.ts";
import { SessionRunner } from "../../../src/core/run/runner.ts";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { memoryPlatform } from "../../adapters/render/memory-platform.ts";
import { NO_FEATURES } from "../../support/command-services.ts";
import { nativeSession, THREAD } from "../../support/native-session.ts";
import { countingIds, seededRandom } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";

/** Records what happens to each view, in the order in which they are opened. */
function recordedViews() {
  const views: string[][] = [];
  const open = (): RunView => {
    const seen: string[] = [];
    views.push(seen);
    const note = (what: string) => () => {
      seen.push(what);
      return Promise.resolve();
    };
    return {
      show: ({ type }) => seen.push(type),
      finish: note("finish"),
      park: note("park"),
      suspend: note("suspend"),
    };
  };
  return { views, open };
}

async function queuedRun() {
  const { store, engine, clock, session, finaliser } = await nativeSession();
  const opening = Promise.withResolvers<void>();
  let reads = 0;
  const get: Store["sessions"]["get"] = async (id) => {
    reads += 1;
    // The queued view reads first; meanwhile the run continues as far as it can.
    if (reads === 1) await opening.promise;
    else nextTurn().then(opening.resolve, opening.reject);
    return store.sessions.get(id);
  };
  const { views, open } = recordedViews();
  const runner = new SessionRunner({
    store: { ...store, sessions: { ...store.sessions, get } },
    runtime: { clock, ids: countingIds(), random: seededRandom(1) },
    log: silentLog,
    ...NO_FEATURES,
    cluster: onlyProcess({ clock, log: silentLog }),
    registry: { resolve: () => Promise.reject(new Error("no model")), available: () => [] },
    budgets: {},
    finaliser,
    approvals: { approvers: [], requester: true, expiresMinutes: 60, admins: [] },
    engine,
    tools: () => [],
    skillsOf: () => skillCatalogue([], []),
    platform: () => memoryPlatform(clock),
    openView: () => open,
    channelConfigOf: () => Promise.reject(new Error("the run ends at once")),
    instructionsOf: () => [],
    saveAttachment: () => Promise.resolve(null),
    readDocument: () => Promise.resolve(null),
  });
  const [event] = await store.inbox.ofRun("run_1");
  if (event === undefined) throw new Error("nothing began the run");
  const begun = { session, pending: [], isFirst: false, startedAt: clock.now() };
  const wake: Wake = { sessionId: session.id, runId: "run_1", event, resumed: false, ...begun };
  const { epoch } = await store.transaction((tx) => tx.sessions.raiseEpoch(session.id));
  const suspending = new AbortController();
  const target = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("nothing is posted")) };
  const place = { sessionId: session.id, runId: "run_1", thread: THREAD, epoch };
  const context = createTurnContext({
    ...place,
    store,
    clock,
    log: silentLog,
    target,
    signal: suspending.signal,
    suspended: suspending.signal,
    isResumed: false,
    isNewSession: false,
  });
  return { runner, wake, context, views, opening, suspending };
}

test("a run admitted while its queue view opens ends up with one view", async () => {
  const { runner, wake, context, views } = await queuedRun();
  await Promise.all([runner.queued(wake, context, 0), runner.run(wake, context)]);
  expect(views).toHaveLength(2);
  expect(new Set(views.map((seen) => seen.at(-1)))).toEqual(new Set(["finish", "suspend"]));
});

test.each(["that stands", "that is just being opened"])(
  "a queue view %s does not continue in a stopping process",
  async (which) => {
    const { runner, wake, context, views, opening, suspending } = await queuedRun();
    if (which === "that stands") opening.resolve();
    const queued = runner.queued(wake, context, 0);
    if (which === "that stands") await queued;
    suspending.abort();
    opening.resolve();
    await queued;
    await expect.poll(() => views.map((seen) => seen.at(-1))).toEqual(["suspend"]);
  },
);
