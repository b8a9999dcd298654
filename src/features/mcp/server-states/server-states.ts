import { counted } from "../../../core/text/counted.ts";
import { nextTry } from "../../../core/text/next-try.ts";
import type { McpConnection } from "../connection.ts";
import { foreignLine } from "../foreign-text.ts";
import type { IdleServer } from "../settings/read-servers.ts";
import { awayState, type ServerState } from "./state-text.ts";

/** Maximum length of a server's description, in characters. */
const ABOUT_CHARS = 120;

/** The state of every server in the settings, those not started last. */
export function serverStates(connections: readonly McpConnection[], idle: readonly IdleServer[]): ServerState[] {
  return [
    ...connections.map(stateOf),
    ...idle.map(({ name, why, isMistake }) => {
      return { line: `${isMistake ? "⚠" : "⏸"} **${name}** is not connected: ${why}`, nextAt: null };
    }),
  ];
}

/** The states as lines of text, with times relative to `now`. */
export function serverStateLines(states: readonly ServerState[], now: number): string {
  return states.map(({ line, nextAt }) => (nextAt === null ? line : `${line} ${nextTry(nextAt, now)}`)).join("\n");
}

function stateOf({ title, settings, state, catalogue }: McpConnection): ServerState {
  if (state.type !== "connected") return awayState({ name: title, state });
  const { length } = catalogue.tools;
  const about = settings.description === undefined ? "" : ` · ${foreignLine(settings.description, ABOUT_CHARS)}`;
  return { line: `✓ **${title}** · ${counted(length, "tool")}${about}`, nextAt: null };
}
