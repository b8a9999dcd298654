import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createTaskViews } from "../../../src/adapters/render/progress/task-view.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import type { Receive } from "../../../src/core/platform/inbound.ts";
import type { Ids } from "../../../src/core/protocol/runtime.ts";
import { SessionRunner } from "../../../src/core/run/runner.ts";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { commandServices, NO_FEATURES } from "../command-services.ts";
import { buildConfig } from "../query-config.ts";
import { silentLog } from "../silent-log.ts";
import type { Delegation } from "./errands.ts";
import { type CallTally, simRegistry } from "./sim-model.ts";
import { CHIEF } from "./sim-people.ts";
import { type SimServer, simPlatform } from "./sim-platform.ts";
import type { SimSeat } from "./sim-seat.ts";
import { slowStore } from "./sim-store.ts";
import { type Deeds, simTools, withAgents } from "./sim-tools.ts";
import type { SimProcess, World } from "./world.ts";

export const APPROVALS = { approvers: [CHIEF.id], requester: true, expiresMinutes: 2, admins: [] };

/** What all processes of a conversation share. */
export interface SimSurroundings {
  readonly world: World;
  readonly store: Store;
  readonly server: SimServer;
  readonly ids: Ids;
  readonly deeds: Deeds;
  readonly calls: CallTally;
  readonly mode: "write" | "agi";
  readonly delegation: Delegation | null;
  readonly faultRate: number;
  /** Until then the usual model has no capacity. In milliseconds since the epoch. */
  readonly overloadedUntil: number;
}

/** A process as seen from outside. */
export interface SimProgram {
  readonly process: SimProcess;
  readonly receive: Receive;
  /** The load of its engine, which is unknown before the start. */
  load(): { readonly isStarted: boolean; readonly running: number; readonly waiting: number };
}

/** Runs the core in a process, on the shared database and platform. */
export function startProgram(around: SimSurroundings, process: SimProcess, seat: SimSeat): SimProgram {
  const { world, server, faultRate, mode } = around;
  const clock = world.clockOf(process);
  const runtime = { clock, ids: around.ids, random: world.random };
  const store = slowStore(around.store, world, process);
  const inner = seat.fence(simPlatform({ world, process, server, faultRate }));
  const spent = seat.rates === null ? { emptyAt: clock.now() } : { shared: seat.rates };
  const platform = pacePlatform(inner, clock, spent);
  const engine = seat.openEngine({ store, runtime, log: silentLog, maxConcurrentRuns: 2, target: () => platform });
  const board = createTaskBoard();
  const deps = { store, engine, clock, log: silentLog, approvals: APPROVALS };
  const tools = withAgents(simTools(world, process, around.deeds), deps);
  const { lock } = onlyProcess({ clock, log: silentLog });
  const cluster = { isShared: seat.rates !== null, size: () => seat.size(), lock };
  const receive = createIntake({
    commands: CHAT_COMMANDS,
    store,
    engine,
    runtime,
    log: silentLog,
    cluster,
    hooks: () => [],
    approvals: APPROVALS,
    access: { admins: [], deny: [], guests: false, external: false },
    requiresMention: () => false,
    workspaceRefusal: () => Promise.resolve(null),
    ...commandServices(),
  });
  const { signal } = new AbortController();
  const finaliser = new MessageFinaliser({ store, clock, log: silentLog, platform: () => platform, signal });
  const runner = new SessionRunner({
    finaliser,
    store,
    runtime,
    log: silentLog,
    registry: simRegistry({ ...around, process, tally: around.calls }),
    // High enough that every call is reserved and none is refused.
    budgets: { dayUsd: 1_000_000 },
    approvals: APPROVALS,
    ...NO_FEATURES,
    cluster,
    engine,
    tools: () => tools,
    skillsOf: () => skillCatalogue([], []),
    platform: () => platform,
    openView: (_name, body) =>
      body.kind === "child"
        ? createTaskViews({ board, clock }, body)
        : createRunViews({ platform, clock, log: silentLog, board }),
    channelConfigOf: () =>
      Promise.resolve({
        config: buildConfig({ model: "sim/sim", fallbackModel: "sim/other", mode }),
        sandboxRoot: "/nowhere",
        allowedHosts: [],
        blockedUrls: [],
        sinks: [],
        place: { platform: "Slack", channel: "C" },
      }),
    instructionsOf: () => [],
    saveAttachment: () => Promise.resolve(null),
    readDocument: () => Promise.resolve(null),
  });
  let isStarted = false;
  const starting = async () => {
    await engine.start(runner);
    isStarted = true;
  };
  world.own(process, starting());
  world.own(process, seat.finaliseLeft(finaliser));
  return { process, receive, load: () => ({ isStarted, ...engine.load() }) };
}
