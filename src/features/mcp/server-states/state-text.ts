import { nextTry } from "../../../core/text/next-try.ts";
import { escapeMarkdown } from "../../../core/text/plain-text.ts";
import type { ConnectionState } from "./connection-state.ts";

interface Named {
  readonly name: string;
  readonly state: ConnectionState;
}

/** A server's state, as `/mcp` and the page show it. */
export interface ServerState {
  /** Inline Markdown: `✓ **docs** · 15 tools`, `⚠ **files** is not connected: its program was not found.` */
  readonly line: string;
  /** When the server is next tried, shown after the line, in milliseconds since the epoch; null if it is not. */
  readonly nextAt: number | null;
}

/** Describes a server that is not connected: `files is not connected: its program was not found. Next try in 12 s.` */
export function notConnected(named: Named, now: number): string {
  const nextAt = nextTryOf(named.state);
  return `${whyNot(named)}${nextAt === null ? "" : ` ${nextTry(nextAt, now)}`}`;
}

/**
 * The state of a server that is not connected. The server's own words are stripped of Markdown, since a link in them
 * could lead readers elsewhere.
 */
export function awayState(named: Named): ServerState {
  const sign = named.state.type === "down" || named.state.type === "stopped" ? "⚠" : "⏳";
  return {
    line: `${sign} ${whyNot({ ...named, name: `**${named.name}**` }, escapeMarkdown)}`,
    nextAt: nextTryOf(named.state),
  };
}

function nextTryOf(state: ConnectionState): number | null {
  return state.type === "down" && !state.waitsForSignIn ? (state.nextAt ?? state.since) : null;
}

function whyNot({ name, state }: Named, shown = (why: string): string => why): string {
  switch (state.type) {
    case "down":
      return `${name} is not connected: ${shown(state.why)}.`;
    case "connecting":
      return state.why === null
        ? `${name} is not connected yet.`
        : `${name} is not connected: ${shown(state.why)}. I'm trying again now.`;
    case "stopped":
      return `${name} is not connected: it is stopped.`;
    default:
      return `${name} is not connected yet.`;
  }
}
