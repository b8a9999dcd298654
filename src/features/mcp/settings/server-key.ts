import { hash } from "node:crypto";

/** Characters. They leave room for the tool's name in `mcp__server__tool`, which has 64. */
const MAX_KEY = 24;

/** Hexadecimal digits that tell apart names which would otherwise fall together. */
const HASH_DIGITS = 6;

/** Between key and tool stands `__`: a key that held it, or ended in `_`, would blur where one ends. */
const PLAIN = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;

/**
 * What a server is called where signs and length are limited: its name where that fits, else what fits of it and a hash
 * of the whole. A function of the name alone, so that the keys of other servers change nothing.
 */
export function serverKey(name: string): string {
  if (PLAIN.test(name) && name.length <= MAX_KEY) return name;
  const digest = hash("sha256", name).slice(0, HASH_DIGITS);
  const words = name.normalize("NFKD").match(/[A-Za-z0-9]+/g) ?? ["server"];
  return `${words.join("-").slice(0, MAX_KEY - HASH_DIGITS - 1)}-${digest}`;
}
