import { nextTry } from "../../../core/text/next-try.ts";
import type { McpConnection } from "../connection.ts";
import { foreignLine } from "../foreign-text.ts";
import type { IdleServer } from "../settings/read-servers.ts";
import { awayState, type ServerState } from "./state-text.ts";

/** Characters of what a server is for. */
const ABOUT_CHARS = 120;

/** Every server of the settings, those that are not started last. */
export function serverStates(connections: readonly McpConnection[], idle: readonly IdleServer[]): ServerState[] {
  return [
    ...connections.map(stateOf),
    ...idle.map(({ name, why, isMistake }) => {
      return { line: `${isMistake ? "⚠" : "⏸"} **${name}** is not connected: ${why}`, nextAt: null };
    }),
  ];
}

/** As lines of text, which are true at this moment. */
export function serverStateLines(states: readonly ServerState[], now: number): string {
  return states.map(({ line, nextAt }) => (nextAt === null ? line : `${line} ${nextTry(nextAt, now)}`)).join("\n");
}

function stateOf({ title, settings, state, catalogue }: McpConnection): ServerState {
  if (state.type !== "connected") return awayState({ name: title, state });
  const { length } = catalogue.tools;
  const about = settings.description === undefined ? "" : ` · ${foreignLine(settings.description, ABOUT_CHARS)}`;
  return { line: `✓ **${title}** · ${length} ${length === 1 ? "tool" : "tools"}${about}`, nextAt: null };
}
