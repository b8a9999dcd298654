import type { InboundAction, InboundCommand, Receipt, Receive } from "../../../src/core/platform/inbound.ts";
import type { Person } from "../../../src/core/platform/thread.ts";
import type { SimMessage } from "./sim-platform.ts";
import type { SimProcess, World } from "./world.ts";

export const ANA = person("slack:U1", "Ana");
export const BOB = person("slack:U2", "Bob");
/** May decide on everything. */
export const CHIEF = person("slack:U9", "Chief");

function person(id: string, name: string): Person {
  return { id, name, isBot: false, isGuest: false, isExternal: false, roles: [] };
}

/** The process that people's clicks reach. */
export interface Reached {
  readonly process: SimProcess;
  readonly receive: Receive;
}

export interface SimPeopleOptions {
  /** Null if no process is alive. */
  readonly reached: () => Reached | null;
  /** How long a card waits, in milliseconds. */
  readonly expiresMs: number;
  /** Receives the outcome of a click. */
  readonly told: (button: string, receipt: Receipt) => void;
}

interface Click {
  readonly by: Person;
  /** Id of the button, or a command that is typed instead: `/stop`. */
  readonly button: string;
}

interface PlannedClick extends Click {
  readonly afterMs: number;
  /** Another click that arrives at the same moment. */
  readonly rival?: Click | null;
}

/** Milliseconds after which a click without receipt is repeated. */
const PATIENCE_MS = 4_000;
/** A typed command in place of a button. */
const STOP = "/stop";
/** Maximum milliseconds that people take to look at a card. */
const LOOK_MS = 15_000;

/**
 * People in a thread who click on the cards they see: once, twice, late, concurrently, and sometimes without the right
 * to. A click that a dying process swallows is repeated.
 */
export class SimPeople {
  /** Number of clicks that are planned or have no receipt yet. */
  pending = 0;
  readonly #world: World;
  readonly #reached: () => Reached | null;
  readonly #expiresMs: number;
  readonly #told: (button: string, receipt: Receipt) => void;
  #clicks = 0;
  /** Messages seen before. */
  readonly #seen = new Set<string>();

  constructor(world: World, options: SimPeopleOptions) {
    this.#world = world;
    this.#told = options.told;
    this.#reached = options.reached;
    this.#expiresMs = options.expiresMs;
  }

  /** Handles a message that is new or was edited. */
  sees(message: SimMessage): void {
    if (message.buttons.some((id) => id.startsWith("approve:"))) this.#seesCard(message);
    const again = message.buttons.find((id) => id.startsWith("ask-again:"));
    if (again !== undefined && this.#luck(0.3))
      this.#click(message, { by: ANA, button: again, afterMs: this.#some(9_000) });
    if (this.#seen.has(message.id)) return;
    this.#seen.add(message.id);
    if (message.buttons.some((id) => id.startsWith("answer:"))) this.#seesQuestion(message);
    if (message.key.includes(":tool:task:")) this.#seesAssignment(message);
  }

  /** Somebody without the right to answer often clicks; somebody with it always does. */
  #seesQuestion(card: SimMessage): void {
    const choose = () => card.buttons[Math.floor(this.#world.random.next() * card.buttons.length)] ?? "";
    if (this.#luck(0.5)) this.#click(card, { by: BOB, button: choose(), afterMs: this.#some(LOOK_MS) });
    this.#click(card, { by: CHIEF, button: choose(), afterMs: this.#some(LOOK_MS) });
    if (this.#luck(0.2)) this.#dieAfter(this.#some(LOOK_MS));
  }

  /** Sometimes stops the delegating run, or everything in the thread, while the sub-agent works. */
  #seesAssignment(message: SimMessage): void {
    const [runId] = message.key.split(":");
    const luck = this.#world.random.next();
    const afterMs = this.#some(4_000);
    if (luck < 0.1) this.#click(message, { by: ANA, button: `stop:${runId}`, afterMs });
    else if (luck < 0.15) this.#click(message, { by: BOB, button: STOP, afterMs });
    else if (luck < 0.25) this.#dieAfter(afterMs);
  }

  #seesCard(card: SimMessage): void {
    const choose = () => card.buttons[Math.floor(this.#world.random.next() * card.buttons.length)] ?? "";
    const anyone = () => [ANA, BOB, CHIEF, CHIEF][Math.floor(this.#world.random.next() * 4)] ?? CHIEF;
    const afterMs = this.#some(LOOK_MS);
    if (this.#luck(0.15)) {
      // Nobody decides in time, but sometimes somebody clicks too late.
      if (this.#luck(0.5))
        this.#click(card, { by: CHIEF, button: choose(), afterMs: this.#expiresMs + this.#some(5_000) });
    } else {
      const rival = this.#luck(0.3) ? { by: anyone(), button: choose() } : null;
      this.#click(card, { by: anyone(), button: choose(), afterMs, rival });
      if (this.#luck(0.4)) this.#click(card, { by: anyone(), button: choose(), afterMs: afterMs + this.#some(300) });
      if (this.#luck(0.4)) this.#click(card, { by: CHIEF, button: choose(), afterMs: this.#some(LOOK_MS) });
    }
    const [, , runId] = (card.buttons[0] ?? "").split(":");
    if (this.#luck(0.1)) this.#click(card, { by: ANA, button: `stop:${runId}`, afterMs: this.#some(LOOK_MS) });
    if (this.#luck(0.2)) this.#dieAfter(this.#some(LOOK_MS));
  }

  #luck(chance: number): boolean {
    return this.#world.random.next() < chance;
  }

  #some(ms: number): number {
    return this.#world.random.next() * ms;
  }

  /** Kills the process later, when it may be only waiting. */
  #dieAfter(ms: number): void {
    this.#world.clockOf(null).after(ms, () => {
      const reached = this.#reached();
      if (reached !== null) this.#world.kill(reached.process);
    });
  }

  #click(message: SimMessage, { afterMs, rival = null, ...first }: PlannedClick): void {
    const world = this.#world;
    const outside = world.clockOf(null);
    this.pending += 1;
    let isDone = false;
    const hand = async ({ process, receive }: Reached, event: InboundAction | InboundCommand) => {
      await world.step(process);
      const receipt = await receive(event);
      this.#told(event.kind === "action" ? event.action : STOP, receipt);
      if (!isDone) this.pending -= 1;
      isDone = true;
    };
    const attempt = () => {
      if (isDone) return;
      const reached = this.#reached();
      if (reached !== null) {
        const event = this.#eventOf(message, first);
        // The platform delivers some events twice.
        const events = [event, ...(this.#luck(0.2) ? [event] : [])];
        if (rival !== null) events.push(this.#eventOf(message, rival));
        for (const each of events) world.own(reached.process, hand(reached, each));
      }
      outside.after(PATIENCE_MS, attempt);
    };
    outside.after(afterMs, attempt);
  }

  #eventOf({ id, thread }: SimMessage, { by, button }: Click): InboundAction | InboundCommand {
    this.#clicks += 1;
    const place = {
      key: `slack:action:${id}:${this.#clicks}`,
      workspace: { id: "T", name: "T" },
      channel: { id: thread.channelId, name: "ops", kind: "channel" as const },
      thread,
      person: by,
      at: this.#world.now(),
    };
    return button === STOP
      ? { ...place, kind: "command", name: "stop", args: "" }
      : { ...place, kind: "action", action: button };
  }
}
