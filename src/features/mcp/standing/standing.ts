import { nextTry } from "../../../core/text/next-try.ts";
import type { McpConnection } from "../connection.ts";
import type { IdleServer } from "../connections.ts";
import { foreignLine } from "../foreign-text.ts";
import { awayStanding, type ServerStanding } from "./state-text.ts";

/** Characters of what a server is for. */
const ABOUT_CHARS = 120;

/** Every server of the settings, those that are not started last. */
export function standings(connections: readonly McpConnection[], idle: readonly IdleServer[]): ServerStanding[] {
  return [
    ...connections.map(standingOf),
    ...idle.map(({ name, why, isMistake }) => {
      return { line: `${isMistake ? "⚠" : "⏸"} **${name}** is not connected: ${why}`, nextAt: null };
    }),
  ];
}

/** As lines of text, which are true at this moment. */
export function standingLines(standing: readonly ServerStanding[], now: number): string {
  return standing.map(({ line, nextAt }) => (nextAt === null ? line : `${line} ${nextTry(nextAt, now)}`)).join("\n");
}

function standingOf({ title, settings, state, catalogue }: McpConnection): ServerStanding {
  if (state.type !== "connected") return awayStanding({ name: title, state });
  const { length } = catalogue.tools;
  const about = settings.description === undefined ? "" : ` · ${foreignLine(settings.description, ABOUT_CHARS)}`;
  return { line: `✓ **${title}** · ${length} ${length === 1 ? "tool" : "tools"}${about}`, nextAt: null };
}
