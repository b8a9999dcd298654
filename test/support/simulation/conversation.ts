import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createTaskViews } from "../../../src/adapters/render/progress/task-view.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import type { InboundEvent, InboundMessage, Person, Receipt, Receive } from "../../../src/core/protocol/platform.ts";
import { createSessionRunner } from "../../../src/core/run/runner.ts";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import { sessionKeyOf } from "../../../src/core/store/sessions.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { commandServices } from "../command-services.ts";
import { buildConfig } from "../query-config.ts";
import { countingIds, seededRandom } from "../runtime.ts";
import { silentLog } from "../silent-log.ts";
import { Decisions } from "./decisions.ts";
import { Delegation } from "./errands.ts";
import { LineAudit } from "./line-audit.ts";
import { answerMark, askText, type CallTally, simRegistry } from "./sim-model.ts";
import { ANA, BOB, CHIEF, type Reached, SimPeople } from "./sim-people.ts";
import { type SimMessage, SimServer, simPlatform } from "./sim-platform.ts";
import { slowStore } from "./sim-store.ts";
import { Deeds, simTools, withAgents } from "./sim-tools.ts";
import { type SimProcess, World } from "./world.ts";

/** One person's request in the simulation. */
interface Ask {
  readonly id: string;
  readonly event: InboundMessage;
  /** Virtual milliseconds from the start. */
  readonly at: number;
  accepted: boolean;
}

/** What the engine of a process has to do; before it has started, nobody knows. */
interface Load {
  readonly isStarted: boolean;
  readonly running: number;
  readonly waiting: number;
}

export interface Report {
  /** What is stopped need not be answered. */
  readonly asks: readonly { readonly id: string; readonly answers: number; readonly mayBeUnanswered: boolean }[];
  /** Calls, by run and id, of the tool that must never run again, that did. */
  readonly repeatedLaunches: readonly string[];
  /** Calls that ran although nobody had allowed them. */
  readonly unallowed: readonly string[];
  /** Decisions that changed, or that somebody made who may not. */
  readonly wrongDecisions: readonly string[];
  /** Cards that still look as if somebody had to decide. */
  readonly openCards: readonly string[];
  /** How approvals have ended, counted. */
  readonly decisions: Readonly<Record<string, number>>;
  /** What failed without anybody to hear of it. */
  readonly failures: readonly unknown[];
  /** What is not as it should be with sub-agents, and with what sessions wait for. */
  readonly wrongLines: readonly string[];
  /** How sub-agents have ended, counted. */
  readonly subAgents: Readonly<Record<string, number>>;
  readonly rateLimited: number;
  /** Live messages that still look as if work went on. */
  readonly unfolded: readonly string[];
  /** Model calls that were charged never, or twice, or whose reservation goes on. */
  readonly mischarged: readonly string[];
  readonly kills: number;
  readonly finished: boolean;
}

/** How many of the conversations hand work on to sub-agents. */
const DELEGATING = 0.3;
/** Virtual time after which a conversation that has not ended never will. Milliseconds. */
const LIMIT_MS = 30 * 60_000;
/** Until all live messages have been folded. Milliseconds. */
const FOLDING_MS = 120_000;
const START_MS = 1_800_000_000_000;
const APPROVALS = { approvers: [CHIEF.id], requester: true, expiresMinutes: 2, admins: [] };

/** Plays a whole conversation from a seed: people, crashes, faults of model and platform. The store is empty. */
export function playConversation(seed: number, store: Store): Promise<Report> {
  return new Conversation(seed, store).play();
}

class Conversation {
  readonly #world: World;
  readonly #store: Store;
  readonly #server: SimServer;
  readonly #asks: Ask[];
  readonly #people: SimPeople;
  readonly #deeds: Deeds;
  readonly #decisions: Decisions;
  readonly #lines: LineAudit;
  readonly #mode: "write" | "agi";
  readonly #delegation: Delegation | null;
  /** Until then the usual model has no capacity. Milliseconds since the epoch. */
  readonly #overloadedUntil: number;
  /** The process that events reach now. */
  #reached: Reached | null = null;
  readonly #ids = countingIds();
  readonly #faultRate: number;
  #killsLeft: number;
  #kills = 0;
  readonly #calls: CallTally = { sent: 0, refused: 0 };

  constructor(seed: number, store: Store) {
    const random = seededRandom(seed);
    this.#world = new World(random);
    this.#store = store;
    this.#server = new SimServer(this.#world);
    this.#faultRate = random.next() < 0.5 ? 0 : 0.08;
    this.#killsLeft = Math.floor(random.next() * 5);
    this.#asks = makeAsks(random);
    this.#mode = random.next() < 0.3 ? "agi" : "write";
    this.#overloadedUntil = START_MS + (random.next() < 0.2 ? 15_000 * random.next() : 0);
    this.#delegation = random.next() < DELEGATING ? new Delegation(random) : null;
    this.#deeds = new Deeds(store, this.#mode);
    this.#lines = new LineAudit(store, this.#deeds);
    this.#decisions = new Decisions(store);
    const reached = () => (this.#reached?.process.isAlive === true ? this.#reached : null);
    const told = (button: string, receipt: Receipt) => {
      this.#decisions.clicked(button, receipt);
      this.#lines.clicked(button, receipt, this.#world.now());
    };
    this.#people = new SimPeople(this.#world, { reached, expiresMs: APPROVALS.expiresMinutes * 60_000, told });
    this.#server.seen = (message) => this.#sees(message);
  }

  async play(): Promise<Report> {
    for (;;) {
      const steps = this.#delegation === null ? 90 : 150;
      const process = this.#world.spawn(this.#killsLeft > 0 ? 1 + Math.floor(this.#world.random.next() * steps) : null);
      const finished = await this.#continueRun(process, this.#start(process));
      if (process.isAlive) return this.#report(finished);
      this.#killsLeft -= 1;
      this.#kills += 1;
      await this.#world.runUntil(() => false, 200 + this.#world.random.next() * 3_000);
    }
  }

  /** Until all is done, or it is clear that it never will be, or the process dies. True when all is done. */
  async #continueRun(process: SimProcess, load: () => Load): Promise<boolean> {
    const world = this.#world;
    for (const end = world.now() + LIMIT_MS; process.isAlive && world.now() < end; ) {
      const begun = world.now();
      await world.runUntil(() => !process.isAlive || this.#isQuiet(load()), LIMIT_MS);
      // Folds may lag behind the end of their run, and what is in the store may not have begun yet.
      if (process.isAlive) await world.runUntil(() => !process.isAlive, FOLDING_MS);
      if (process.isAlive && this.#isQuiet(load()) && (await this.#lines.isAtRest(this.#sessionKeys(), world.now())))
        return true;
      if (world.now() === begun) return false;
    }
    return false;
  }

  #sessionKeys(): string[] {
    return [...new Set(this.#asks.map(({ event }) => sessionKeyOf(event.thread)))];
  }

  #isQuiet({ isStarted, running, waiting }: Load): boolean {
    const isAtRest = isStarted && running === 0 && waiting === 0 && this.#people.pending === 0;
    return isAtRest && this.#asks.every((ask) => ask.accepted) && this.#openCards().length === 0;
  }

  #openCards(): SimMessage[] {
    return this.#server.messages.filter(({ buttons }) => buttons.some((id) => /^(?:approve|answer):/u.test(id)));
  }

  #sees(message: SimMessage): void {
    this.#people.sees(message);
    const [verb, , runId, turn] = (message.buttons[0] ?? "").split(":");
    if (verb === "approve") this.#decisions.asked(`${runId}:${turn}`);
    const reached = this.#reached;
    if (reached?.process.isAlive) {
      this.#world.own(
        reached.process,
        this.#world.real(reached.process, () => this.#decisions.look()),
      );
    }
  }

  /** A new process over the same database and platform. */
  #start(process: SimProcess): () => Load {
    const world = this.#world;
    const clock = world.clockOf(process);
    const runtime = { clock, ids: this.#ids, random: world.random };
    const store = slowStore(this.#store, world, process);
    const inner = simPlatform({ world, process, server: this.#server, faultRate: this.#faultRate });
    const platform = pacePlatform(inner, clock, { emptyAt: clock.now() });
    const engine = new EmbeddedEngine({ store, runtime, log: silentLog, maxConcurrentRuns: 2, target: () => platform });
    const board = createTaskBoard();
    const deps = { store, engine, clock, log: silentLog, approvals: APPROVALS };
    const tools = withAgents(simTools(world, process, this.#deeds), deps);
    const receive = createIntake({
      commands: CHAT_COMMANDS,
      store,
      engine,
      runtime,
      log: silentLog,
      approvals: APPROVALS,
      access: { admins: [], deny: [], guests: false, external: false },
      requiresMention: () => false,
      workspaceRefusal: () => Promise.resolve(null),
      ...commandServices(),
    });
    const { signal } = new AbortController();
    const finaliser = new MessageFinaliser({ store, clock, log: silentLog, platform: () => platform, signal });
    const runner = createSessionRunner({
      finaliser,
      store,
      runtime,
      log: silentLog,
      registry: simRegistry({
        world,
        process,
        tally: this.#calls,
        faultRate: this.#faultRate,
        overloadedUntil: this.#overloadedUntil,
        delegation: this.#delegation,
      }),
      // Far away: each call is reserved, none is refused.
      budgets: { dayUsd: 1_000_000 },
      approvals: APPROVALS,
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
          config: buildConfig({ model: "sim/sim", fallbackModel: "sim/other", mode: this.#mode }),
          sandboxRoot: "/nowhere",
          allowedHosts: [],
          blockedUrls: [],
          place: { platform: "Slack", channel: "C" },
        }),
      instructionsOf: () => [],
      saveAttachment: () => Promise.resolve(null),
    });
    this.#reached = { process, receive };
    let isStarted = false;
    const starting = async () => {
      await engine.start(runner);
      isStarted = true;
    };
    world.own(process, starting());
    world.own(process, finaliser.finaliseStale("slack"));
    for (const ask of this.#asks) if (!ask.accepted) this.#deliver(ask, receive, process);
    return () => ({ isStarted, ...engine.load() });
  }

  /** The platform delivers an event until it is acknowledged, also twice. */
  #deliver(ask: Ask, receive: Receive, process: SimProcess): void {
    const world = this.#world;
    const hand = async (event: InboundEvent) => {
      await world.step(process);
      const receipt = await receive(event);
      if (receipt.type === "accepted" || receipt.type === "duplicate") ask.accepted = true;
    };
    const delay = Math.max(0, START_MS + ask.at - world.now());
    world.clockOf(process).after(delay, () => {
      world.own(process, hand(ask.event));
      if (world.random.next() < 0.3) world.own(process, hand(ask.event));
    });
  }

  async #report(finished: boolean): Promise<Report> {
    const texts = this.#server.messages;
    await this.#decisions.look();
    const stopped = new Set(
      texts.filter(({ markdown }) => markdown.includes("⏹ Stopped by @")).map(({ thread }) => thread.threadId),
    );
    const asks = this.#asks.map(async ({ id, event }) => ({
      id,
      answers: texts.filter(({ key, markdown }) => key.includes(":answer:") && markdown.includes(answerMark(id)))
        .length,
      // While a sub-agent has a question, a message of who was asked is the answer.
      mayBeUnanswered:
        stopped.has(event.thread.threadId) || (await this.#store.inbox.byKey(event.key))?.body.kind === "resume",
    }));
    const lines = await this.#lines.audit(this.#sessionKeys(), this.#world.now());
    return {
      asks: await Promise.all(asks),
      wrongLines: lines.wrong,
      subAgents: lines.ends,
      repeatedLaunches: this.#deeds.repeated(),
      unallowed: this.#deeds.unallowed(),
      wrongDecisions: this.#decisions.wrong(),
      openCards: this.#openCards().map(({ key }) => key),
      decisions: this.#decisions.tally(),
      failures: this.#world.failures,
      rateLimited: this.#server.rateLimited,
      unfolded: texts
        .filter(({ key, markdown }) => key.endsWith(":live") && markdown.startsWith("⏳"))
        .map(({ key }) => key),
      mischarged: await this.#mischarged(),
      kills: this.#kills,
      finished,
    };
  }

  /** A kill right before a call is sent, or right after it was refused, looks like one in its midst: its request is charged. */
  async #mischarged(): Promise<string[]> {
    const held = await this.#store.transaction((tx) => tx.budgets.held());
    const { calls } = await this.#store.usage.total({ since: 0 });
    const least = this.#calls.sent - this.#calls.refused;
    const isRight = calls >= least && calls <= least + this.#kills;
    const charged = isRight ? [] : [`${calls} calls charged of ${least}, ${this.#kills} kills`];
    return [...held.map(({ runId }) => runId), ...charged];
  }
}

function makeAsks(random: { next(): number }): Ask[] {
  const threads = 1 + Math.floor(random.next() * 4);
  return Array.from({ length: threads }, (_, thread) =>
    Array.from({ length: 1 + Math.floor(random.next() * 3) }, (_, index) => {
      const id = `${thread}${index}`;
      const at = index * 3_000 * random.next() + thread * 200;
      const text = askText(id, Math.floor(random.next() * 4));
      const by = random.next() < 0.25 ? BOB : ANA;
      return { id, event: askEvent({ thread, index, by }, text), at, accepted: false };
    }),
  ).flat();
}

interface AskPlace {
  readonly thread: number;
  readonly index: number;
  readonly by: Person;
}

function askEvent({ thread, index, by }: AskPlace, text: string): InboundMessage {
  const ts = `17000${thread}.${index}`;
  return {
    kind: "message",
    key: `slack:T:C${thread % 2}:${ts}`,
    workspace: { id: "T", name: "T" },
    channel: { id: `C${thread % 2}`, name: "ops", kind: "channel" },
    thread: { platform: "slack", workspaceId: "T", channelId: `C${thread % 2}`, threadId: `17000${thread}.0` },
    person: by,
    at: START_MS,
    text,
    addressed: "mention",
    opensThread: index === 0,
    attachments: [],
    quoted: [],
    messageId: ts,
  };
}
