import { hash } from "node:crypto";

/** In characters. Leaves room for the tool's name in `mcp__server__tool`, which has at most 64. */
const MAX_KEY = 24;

/** Hexadecimal digits of the hash that keeps similar names apart. */
const HASH_DIGITS = 6;

/** Names that can be keys as they are. A key with `__`, or one that ends in `_`, would blur where `__tool` begins. */
const PLAIN = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;

/**
 * The server's name where characters and length are limited: the name itself if it fits, otherwise its usable part and
 * a hash of the whole. Depends on the name alone, so that other servers do not change it.
 */
export function serverKey(name: string): string {
  if (PLAIN.test(name) && name.length <= MAX_KEY) return name;
  const digest = hash("sha256", name).slice(0, HASH_DIGITS);
  const words = name.normalize("NFKD").match(/[A-Za-z0-9]+/g) ?? ["server"];
  return `${words.join("-").slice(0, MAX_KEY - HASH_DIGITS - 1)}-${digest}`;
}
