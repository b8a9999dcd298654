import type { Applicant } from "../store/sessions.ts";

/**
 * The shares of all slots that one person, and one channel, cannot use, so that newcomers need not wait for their runs
 * to end.
 */
const KEPT_SHARES = { person: 1 / 4, channel: 1 / 8 };

/**
 * Number of waiting sessions whose exact order is computed. Each step scans all that wait, which would block the
 * process for seconds if thousands did.
 */
const IN_TURN = 100;

/** Configured maximum numbers of slots. */
export interface AdmissionLimits {
  readonly userRuns?: number | undefined;
  readonly channelRuns?: number | undefined;
}

/**
 * Decides who may run now. At most `limit` sessions run at once, and one person or channel gets fewer, so that others
 * find a free slot. When sessions queue, people take turns, and channels do where several people are due. Neither a
 * busy person nor a busy channel keeps others waiting.
 */
export class Admission {
  readonly #limit: number;
  readonly #most: Readonly<Record<Holder, number>>;
  /** Waiting sessions by id, in order of arrival. */
  readonly #queue = new Map<string, Applicant>();
  readonly #running = new Map<string, Applicant>();
  /** Number of slots in use by each person and by each channel. */
  readonly #held = { person: new Map<string, number>(), channel: new Map<string, number>() };
  #turns = new Turns();

  constructor(limit: number, { userRuns, channelRuns }: AdmissionLimits = {}) {
    this.#limit = limit;
    this.#most = {
      person: userRuns ?? limit - Math.floor(limit * KEPT_SHARES.person),
      channel: channelRuns ?? limit - Math.floor(limit * KEPT_SHARES.channel),
    };
  }

  /** Queues a session that is not waiting yet. */
  enqueue(applicant: Applicant): void {
    this.#queue.set(applicant.sessionId, applicant);
    this.#turns.join(applicant);
  }

  isWaiting(sessionId: string): boolean {
    return this.#queue.has(sessionId);
  }

  /** Whether a run that the person begins in the channel now would have to wait. */
  isFullFor(applicant: Owner): boolean {
    if (this.#running.size >= this.#limit || !this.#hasRoom(applicant, () => 0)) return true;
    const next = [...this.#queue.values()].filter((each) => this.#mayRun(each));
    const ahead = (holder: Holder) =>
      next.filter((each) => ownerId(each, holder) === ownerId(applicant, holder)).length;
    return this.#running.size + next.length >= this.#limit || !this.#hasRoom(applicant, ahead);
  }

  /** The next session to run; undefined if none is waiting or no slot is free. */
  next(): string | undefined {
    if (this.#running.size >= this.#limit) return undefined;
    const chosen = this.#turns.first([...this.#queue.values()].filter((each) => this.#mayRun(each)));
    if (chosen === undefined) return undefined;
    this.#turns.take(chosen);
    this.#begin(chosen);
    return chosen.sessionId;
  }

  /** Starts a waiting session at once, beyond the limit. Returns false if it is not waiting. */
  promote(sessionId: string): boolean {
    const waiting = this.#queue.get(sessionId);
    if (waiting !== undefined) this.#begin(waiting);
    return waiting !== undefined;
  }

  leave(sessionId: string): void {
    const owner = this.#running.get(sessionId);
    if (owner === undefined) return;
    this.#running.delete(sessionId);
    for (const holder of HOLDERS) this.#count(owner, holder, -1);
  }

  get waitingCount(): number {
    return this.#queue.size;
  }

  /**
   * Waiting sessions in the order in which they will run if nothing else arrives. Those far behind are in order of
   * arrival.
   */
  waiting(): string[] {
    const turns = this.#turns.copy();
    // One person's requests in one channel run in the order in which they were made.
    const flowOf = ({ personId, channelKey }: Applicant) => JSON.stringify([personId, channelKey]);
    const flows = [...Map.groupBy(this.#queue.values(), flowOf).values()];
    const order = new Set<string>();
    while (order.size < IN_TURN) {
      const next = turns.first(flows.flatMap(([head]) => head ?? []));
      if (next === undefined) break;
      turns.take(next);
      order.add(next.sessionId);
      flows.find(([head]) => head === next)?.shift();
    }
    return [...order, ...[...this.#queue.keys()].filter((id) => !order.has(id))];
  }

  #mayRun(applicant: Applicant): boolean {
    return !this.#running.has(applicant.sessionId) && this.#hasRoom(applicant, () => 0);
  }

  /** Whether both the person and the channel are below their limits, counting those ahead of them in the queue. */
  #hasRoom(owner: Owner, ahead: (holder: Holder) => number): boolean {
    return HOLDERS.every((holder) => {
      return (this.#held[holder].get(ownerId(owner, holder)) ?? 0) + ahead(holder) < this.#most[holder];
    });
  }

  #count(owner: Owner, holder: Holder, by: number): void {
    const id = ownerId(owner, holder);
    const count = (this.#held[holder].get(id) ?? 0) + by;
    if (count > 0) this.#held[holder].set(id, count);
    else this.#held[holder].delete(id);
  }

  #begin(applicant: Applicant): void {
    const { sessionId } = applicant;
    this.#queue.delete(sessionId);
    if (!this.#running.has(sessionId)) {
      this.#running.set(sessionId, applicant);
      for (const holder of HOLDERS) this.#count(applicant, holder, 1);
    }
    // Without a queue nobody has been passed over, so the rounds start afresh.
    if (this.#queue.size === 0) this.#turns = new Turns();
  }
}

type Owner = Pick<Applicant, "personId" | "channelKey">;
type Holder = keyof typeof KEPT_SHARES;
const HOLDERS: readonly Holder[] = ["person", "channel"];

function ownerId({ personId, channelKey }: Owner, holder: Holder): string {
  return holder === "person" ? personId : channelKey;
}

/**
 * Rounds, each of which gives every person, and within that every channel, one slot. Newcomers start in the next round.
 * Admitted to the current one, an endless stream of them would block everybody who has already had a turn in it.
 */
class Turns {
  readonly #people: Rounds;
  readonly #channels: Rounds;

  constructor(people = new Rounds(), channels = new Rounds()) {
    this.#people = people;
    this.#channels = channels;
  }

  /** The applicant whose turn it is; the earliest if several are due. */
  first(applicants: Iterable<Applicant>): Applicant | undefined {
    let first: { readonly applicant: Applicant; readonly person: number; readonly channel: number } | undefined;
    for (const applicant of applicants) {
      const [person, channel] = [this.#people.of(applicant.personId), this.#channels.of(applicant.channelKey)];
      const isBefore =
        first === undefined || person < first.person || (person === first.person && channel < first.channel);
      if (isBefore) first = { applicant, person, channel };
    }
    return first?.applicant;
  }

  join({ personId }: Applicant): void {
    this.#people.join(personId);
  }

  take({ personId, channelKey }: Applicant): void {
    this.#people.take(personId);
    this.#channels.take(channelKey);
  }

  copy(): Turns {
    return new Turns(this.#people.copy(), this.#channels.copy());
  }
}

class Rounds {
  #now: number;
  readonly #next: Map<string, number>;

  constructor(now = 0, next: ReadonlyMap<string, number> = new Map()) {
    this.#now = now;
    this.#next = new Map(next);
  }

  /** The round in which the key's next turn is. */
  of(key: string): number {
    return Math.max(this.#now, this.#next.get(key) ?? 0);
  }

  join(key: string): void {
    if (this.of(key) === this.#now) this.#next.set(key, this.#now + 1);
  }

  take(key: string): void {
    this.#now = this.of(key);
    this.#next.set(key, this.#now + 1);
  }

  copy(): Rounds {
    return new Rounds(this.#now, this.#next);
  }
}
