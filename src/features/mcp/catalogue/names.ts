import { hash } from "node:crypto";

/** Characters. Source: the stricter of the model providers' rules for tool names. */
const MAX_NAME = 64;

/** Hexadecimal digits of the hash that tells apart names which would otherwise fall together. */
const HASH_DIGITS = 8;

/**
 * `mcp__server__tool` in `[A-Za-z0-9_-]{1,64}`. A function of its arguments alone, so that a tool keeps its name
 * whatever else is there: a tool name that had to be changed or cut carries a hash of the original. Names of
 * different servers never meet, since server names hold no `__` and end in no `_`.
 */
export function qualifiedName(server: string, tool: string): string {
  const plain = `${toolPrefix(server)}${tool}`;
  return /^[A-Za-z0-9_-]+$/.test(tool) && plain.length <= MAX_NAME ? plain : hashedName(server, tool);
}

/** The name of a tool whose qualified name another tool of the server has taken. */
export function hashedName(server: string, tool: string): string {
  const digest = hash("sha256", `${server}\0${tool}`).slice(0, HASH_DIGITS);
  const head = `${toolPrefix(server)}${tool.replaceAll(/[^A-Za-z0-9_-]/gu, "_")}`;
  return `${head.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${digest}`;
}

/** What the names of all tools of a server begin with. */
export function toolPrefix(server: string): string {
  return `mcp__${server}__`;
}
