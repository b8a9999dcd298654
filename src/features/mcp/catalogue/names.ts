import { hash } from "node:crypto";

/** In characters. Source: the stricter of the model providers' rules for tool names. */
const MAX_NAME = 64;

/** Hexadecimal digits of the hash that keeps similar names apart. */
const HASH_DIGITS = 8;

/**
 * `mcp__server__tool` in `[A-Za-z0-9_-]{1,64}`. Depends on its arguments alone, so that a tool keeps its name whatever
 * other tools exist. A tool name that must be changed or cut gets a hash of the original. Names of different servers
 * never collide, since server names contain no `__` and do not end in `_`.
 */
export function qualifiedName(server: string, tool: string): string {
  const plain = `${toolPrefix(server)}${tool}`;
  return /^[A-Za-z0-9_-]+$/.test(tool) && plain.length <= MAX_NAME ? plain : hashedName(server, tool);
}

/** The name for a tool whose qualified name is taken by another tool of the server. */
export function hashedName(server: string, tool: string): string {
  const digest = hash("sha256", `${server}\0${tool}`).slice(0, HASH_DIGITS);
  const head = `${toolPrefix(server)}${tool.replaceAll(/[^A-Za-z0-9_-]/gu, "_")}`;
  return `${head.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${digest}`;
}

export function toolPrefix(server: string): string {
  return `mcp__${server}__`;
}
