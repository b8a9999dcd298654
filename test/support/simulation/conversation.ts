import type { InboundEvent, InboundMessage, Receipt } from "../../../src/core/platform/inbound.ts";
import { type Person, sessionKeyOf } from "../../../src/core/platform/thread.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { countingIds, seededRandom } from "../runtime.ts";
import { Decisions } from "./decisions.ts";
import { Delegation } from "./errands.ts";
import { LineAudit } from "./line-audit.ts";
import { answerMark, askText, type CallTally } from "./sim-model.ts";
import { ANA, BOB, SimPeople } from "./sim-people.ts";
import { type SimMessage, SimServer } from "./sim-platform.ts";
import { APPROVALS, type SimProgram, type SimSurroundings, startProgram } from "./sim-program.ts";
import { embeddedHouse, type OpenHouse, type SimHouse } from "./sim-seat.ts";
import { Deeds } from "./sim-tools.ts";
import { type SimProcess, World } from "./world.ts";

/** One person's request in the simulation. */
interface Ask {
  readonly id: string;
  readonly event: InboundMessage;
  /** Virtual milliseconds from the start. */
  readonly at: number;
  accepted: boolean;
  /** True while a delivery by the platform is scheduled. */
  isPlanned: boolean;
  /** The process that received it last. */
  carrier: SimProcess | null;
}

export interface Report {
  /** Stopped requests need no answer. */
  readonly asks: readonly { readonly id: string; readonly answers: number; readonly mayBeUnanswered: boolean }[];
  /** Calls, by run and id, that repeated the tool that must never run again. */
  readonly repeatedLaunches: readonly string[];
  /** Calls that ran without permission. */
  readonly unallowed: readonly string[];
  /** Decisions that changed, or that were made by somebody without the right to. */
  readonly wrongDecisions: readonly string[];
  /** Cards that still look as if a decision were needed. */
  readonly openCards: readonly string[];
  /** Counts of how approvals ended. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Failures that nothing handled. */
  readonly failures: readonly unknown[];
  /** Faults of sub-agents and of what sessions wait for. */
  readonly wrongLines: readonly string[];
  /** Counts of how sub-agents ended. */
  readonly subAgents: Readonly<Record<string, number>>;
  readonly rateLimited: number;
  /** Live messages that still look like work in progress. */
  readonly unfolded: readonly string[];
  /** Model calls that were charged never or twice, or whose reservation remains. */
  readonly mischarged: readonly string[];
  readonly kills: number;
  readonly finished: boolean;
}

/** Share of conversations that delegate work to sub-agents. */
const DELEGATING = 0.3;
/** Virtual milliseconds after which a conversation is considered stuck. */
const LIMIT_MS = 30 * 60_000;
/** Virtual milliseconds until all live messages must have folded. */
const FOLDING_MS = 120_000;
const START_MS = 1_800_000_000_000;

/** Plays a whole conversation from a seed: people, crashes, faults of model and platform. The store must be empty. */
export function playConversation(seed: number, store: Store, open: OpenHouse = embeddedHouse): Promise<Report> {
  return new Conversation(seed, store, open).play();
}

class Conversation {
  readonly #world: World;
  readonly #store: Store;
  readonly #server: SimServer;
  readonly #house: SimHouse;
  readonly #asks: Ask[];
  readonly #people: SimPeople;
  readonly #deeds: Deeds;
  readonly #decisions: Decisions;
  readonly #lines: LineAudit;
  readonly #around: SimSurroundings;
  /** The programs that events can reach now. */
  #programs: readonly SimProgram[] = [];
  #killsLeft: number;
  #kills = 0;
  #launchedAt = START_MS;
  #isOver = false;
  readonly #calls: CallTally = { sent: 0, refused: 0 };

  constructor(seed: number, store: Store, open: OpenHouse) {
    const random = seededRandom(seed);
    this.#world = new World(random);
    this.#store = store;
    this.#server = new SimServer(this.#world);
    this.#house = open(this.#world);
    const faultRate = random.next() < 0.5 ? 0 : 0.08;
    this.#killsLeft = Math.floor(random.next() * 5);
    this.#asks = makeAsks(random);
    const mode: SimSurroundings["mode"] = random.next() < 0.3 ? "agi" : "write";
    const overloadedUntil = START_MS + (random.next() < 0.2 ? 15_000 * random.next() : 0);
    const delegation = random.next() < DELEGATING ? new Delegation(random) : null;
    this.#deeds = new Deeds(store, mode);
    this.#lines = new LineAudit(store, this.#deeds);
    this.#decisions = new Decisions(store);
    const told = (button: string, receipt: Receipt) => {
      this.#decisions.clicked(button, receipt);
      this.#lines.clicked(button, receipt, this.#world.now());
    };
    const reached = () => this.#reachable();
    this.#people = new SimPeople(this.#world, { reached, expiresMs: APPROVALS.expiresMinutes * 60_000, told });
    const shared = { world: this.#world, store, server: this.#server, ids: countingIds() };
    const played = { deeds: this.#deeds, calls: this.#calls, mode, delegation, faultRate, overloadedUntil };
    this.#around = { ...shared, ...played };
    this.#server.seen = (message) => this.#sees(message);
    this.#world.died = (process) => this.#died(process);
  }

  async play(): Promise<Report> {
    for (let count = 0; count < this.#house.processes; count += 1) this.#launch();
    const finished = await this.#untilOver();
    this.#isOver = true;
    await this.#house.close();
    return this.#report(finished);
  }

  /** Starts a process on the same database and platform as earlier and concurrent ones. */
  #launch(): void {
    const world = this.#world;
    const steps = this.#around.delegation === null ? 90 : 150;
    const process = world.spawn(this.#killsLeft > 0 ? 1 + Math.floor(world.random.next() * steps) : null);
    this.#launchedAt = world.now();
    const start = async () => {
      const seat = await world.real(process, () => this.#house.join(process));
      this.#programs = [...this.#programs, startProgram(this.#around, process, seat)];
      if (this.#isComplete()) for (const ask of this.#asks) this.#deliver(ask);
    };
    world.own(process, start());
  }

  #died(process: SimProcess): void {
    this.#programs = this.#programs.filter((program) => program.process !== process);
    this.#house.died(process);
    if (this.#isOver) return;
    this.#killsLeft -= 1;
    this.#kills += 1;
    this.#world.clockOf(null).after(200 + this.#world.random.next() * 3_000, () => this.#launch());
  }

  /** True if all processes that should serve are up. */
  #isComplete(): boolean {
    return this.#programs.length === this.#house.processes;
  }

  /** A process that receives what people do; null if none is alive. */
  #reachable(): SimProgram | null {
    const awake = this.#programs.filter(({ process }) => process.thawed === null);
    return awake[awake.length > 1 ? Math.floor(this.#world.random.next() * awake.length) : 0] ?? null;
  }

  /** Runs until everything is done, or clearly never will be. True if everything is done. */
  async #untilOver(): Promise<boolean> {
    const world = this.#world;
    while (world.now() < this.#launchedAt + LIMIT_MS) {
      const begun = world.now();
      await world.runUntil(() => this.#isQuiet(), LIMIT_MS);
      // Messages may fold after the end of their run, and stored events may not have begun yet.
      await world.runUntil(() => !this.#isComplete(), FOLDING_MS);
      if (this.#isQuiet() && (await this.#lines.isAtRest(this.#sessionKeys(), world.now()))) return true;
      if (world.now() === begun) return false;
    }
    return false;
  }

  #sessionKeys(): string[] {
    return [...new Set(this.#asks.map(({ event }) => sessionKeyOf(event.thread)))];
  }

  #isQuiet(): boolean {
    const loads = this.#programs.map((program) => program.load());
    const isAtRest = loads.every(({ isStarted, running, waiting }) => isStarted && running === 0 && waiting === 0);
    if (!this.#isComplete() || !isAtRest || this.#people.pending > 0) return false;
    return this.#asks.every((ask) => ask.accepted) && this.#openCards().length === 0;
  }

  #openCards(): SimMessage[] {
    return this.#server.messages.filter(({ buttons }) => buttons.some((id) => /^(?:approve|answer):/u.test(id)));
  }

  #sees(message: SimMessage): void {
    this.#people.sees(message);
    const [verb, , runId, turn] = (message.buttons[0] ?? "").split(":");
    if (verb === "approve") this.#decisions.asked(`${runId}:${turn}`);
    const [program] = this.#programs;
    if (program === undefined) return;
    const look = this.#world.real(program.process, () => this.#decisions.look());
    this.#world.own(program.process, look);
  }

  /** Delivers an event until it is acknowledged, possibly twice, as platforms do. */
  #deliver(ask: Ask): void {
    if (ask.accepted || ask.isPlanned || ask.carrier?.isAlive === true) return;
    const world = this.#world;
    const hand = async ({ process, receive }: SimProgram, event: InboundEvent) => {
      await world.step(process);
      const receipt = await receive(event);
      if (receipt.type === "accepted" || receipt.type === "duplicate") ask.accepted = true;
    };
    ask.isPlanned = true;
    world.clockOf(null).after(Math.max(0, START_MS + ask.at - world.now()), () => {
      ask.isPlanned = false;
      for (const _ of world.random.next() < 0.3 ? [1, 2] : [1]) {
        const program = this.#reachable();
        ask.carrier = program?.process ?? null;
        if (program !== null) world.own(program.process, hand(program, ask.event));
      }
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
      // While a sub-agent has an open question, a message from the person it was put to is the answer.
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

  /**
   * A kill just before a call is sent or just after it was refused looks like one during the call, so its request is
   * charged.
   */
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
      const event = askEvent({ thread, index, by }, text);
      return { id, event, at, accepted: false, isPlanned: false, carrier: null };
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
