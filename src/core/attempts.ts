import { isIPv6 } from "node:net";
import { BoundedMap } from "./bounded-map.ts";
import type { Clock } from "./protocol/runtime.ts";

/** Maximum number of keys; the oldest are forgotten. */
const MAX_NETWORKS = 10_000;

/** Counts attempts per key in a fixed window that opens with the key's first attempt. */
export class Attempts {
  readonly #clock: Pick<Clock, "now">;
  readonly #windowMs: number;
  readonly #counts = new BoundedMap<string, { readonly count: number; readonly since: number }>(MAX_NETWORKS);

  constructor(clock: Pick<Clock, "now">, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /** Seconds until another attempt is allowed; 0 while the window holds fewer than `most`. */
  waitS(key: string, most: number): number {
    const { count, since } = this.#countOf(key);
    return count < most ? 0 : Math.max(1, Math.ceil((since + this.#windowMs - this.#clock.now()) / 1_000));
  }

  add(key: string): void {
    this.#change(key, 1);
  }

  takeBack(key: string): void {
    this.#change(key, -1);
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }

  #countOf(key: string) {
    const found = this.#counts.get(key);
    const now = this.#clock.now();
    return found === undefined || now - found.since >= this.#windowMs ? { count: 0, since: now } : found;
  }

  #change(key: string, by: number): void {
    const { count, since } = this.#countOf(key);
    this.#counts.set(key, { count: Math.max(0, count + by), since });
  }
}

const MAPPED = /^::ffff:(?=\d+\.)/iu;

/** Key for counting by address. IPv6 addresses are cut to their /64 network because one visitor may own all of it. */
export function networkOf(address: string): string {
  const plain = address.replace(MAPPED, "");
  if (!isIPv6(plain)) return plain;
  const [head = [], tail = []] = plain.split("::", 2).map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}
