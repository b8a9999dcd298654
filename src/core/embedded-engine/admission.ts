import type { Applicant } from "../store/sessions.ts";

/** The share of the places that one person cannot have: whoever comes beside them need not wait for their runs to end. */
const KEPT_SHARE = 1 / 4;

/**
 * Who may run now: at most `limit` sessions at once, and of one person so many less that others find a free place. When
 * sessions queue, people take turns, and where it is several people's turn, channels do: neither a busy person nor a busy
 * channel keeps the others waiting.
 */
export class Admission {
  readonly #limit: number;
  readonly #mostOfOne: number;
  /** By session, in order of arrival. */
  readonly #queue = new Map<string, Applicant>();
  /** Whose each running session is. */
  readonly #running = new Map<string, string>();
  /** How many each person has of these. */
  readonly #held = new Map<string, number>();
  #turns = new Turns();

  constructor(limit: number) {
    this.#limit = limit;
    this.#mostOfOne = limit - Math.floor(limit * KEPT_SHARE);
  }

  /** Queues a session that does not wait yet. */
  enqueue(applicant: Applicant): void {
    this.#queue.set(applicant.sessionId, applicant);
    this.#turns.join(applicant);
  }

  isWaiting(sessionId: string): boolean {
    return this.#queue.has(sessionId);
  }

  /** True when what the person begins now must wait. */
  isFullFor(personId: string): boolean {
    if (this.#running.size >= this.#limit || this.#heldBy(personId) >= this.#mostOfOne) return true;
    const next = [...this.#queue.values()].filter((each) => this.#mayRun(each));
    const own = next.filter((each) => each.personId === personId).length;
    return this.#running.size + next.length >= this.#limit || this.#heldBy(personId) + own >= this.#mostOfOne;
  }

  /** The next session to run, or undefined when none waits or no place is free. */
  next(): string | undefined {
    if (this.#running.size >= this.#limit) return undefined;
    const chosen = this.#turns.first([...this.#queue.values()].filter((each) => this.#mayRun(each)));
    if (chosen === undefined) return undefined;
    this.#turns.take(chosen);
    this.#begin(chosen);
    return chosen.sessionId;
  }

  /** Lets a waiting session run at once, beyond the limit; false when it does not wait. */
  promote(sessionId: string): boolean {
    const waiting = this.#queue.get(sessionId);
    if (waiting !== undefined) this.#begin(waiting);
    return waiting !== undefined;
  }

  leave(sessionId: string): void {
    const personId = this.#running.get(sessionId);
    if (personId === undefined) return;
    this.#running.delete(sessionId);
    const left = this.#heldBy(personId) - 1;
    if (left > 0) this.#held.set(personId, left);
    else this.#held.delete(personId);
  }

  get waitingCount(): number {
    return this.#queue.size;
  }

  /** Those that wait, in the order they will run, if nothing else comes. */
  waiting(): string[] {
    const turns = this.#turns.copy();
    // What one person wants in one channel comes in the order in which it was asked for.
    const flows = [...Map.groupBy(this.#queue.values(), flowOf).values()];
    const order: string[] = [];
    for (;;) {
      const next = turns.first(flows.flatMap(([head]) => head ?? []));
      if (next === undefined) return order;
      turns.take(next);
      order.push(next.sessionId);
      flows.find(([head]) => head === next)?.shift();
    }
  }

  #mayRun({ sessionId, personId }: Applicant): boolean {
    return !this.#running.has(sessionId) && this.#heldBy(personId) < this.#mostOfOne;
  }

  #heldBy(personId: string): number {
    return this.#held.get(personId) ?? 0;
  }

  #begin({ sessionId, personId }: Applicant): void {
    this.#queue.delete(sessionId);
    if (!this.#running.has(sessionId)) this.#held.set(personId, this.#heldBy(personId) + 1);
    this.#running.set(sessionId, personId);
    // Where nobody waits, nobody has been passed over.
    if (this.#queue.size === 0) this.#turns = new Turns();
  }
}

function flowOf({ personId, channelKey }: Applicant): string {
  return JSON.stringify([personId, channelKey]);
}

/**
 * Rounds of which each gives every person, and beneath that every channel, one place. Who comes new begins in the next one:
 * in the one that is on, an endless line of newcomers would keep all waiting who have had their place in it.
 */
class Turns {
  readonly #people: Rounds;
  readonly #channels: Rounds;

  constructor(people = new Rounds(), channels = new Rounds()) {
    this.#people = people;
    this.#channels = channels;
  }

  /** Whose turn it is; of several the one that came first. */
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

  /** The round in which it is its turn. */
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
