import { type Finding, warned } from "../../cli/doctor/finding.ts";
import { counted } from "../../core/text/counted.ts";
import { secretMasking } from "../../core/text/secret-masking.ts";
import { waitAtMost } from "../../core/wait-at-most.ts";
import { createMcpConnections, type McpOptions, type McpServerView } from "./connections.ts";
import { foreignLine } from "./foreign-text.ts";
import { kindsText } from "./kinds-text.ts";
import type { McpConfig } from "./settings/read-servers.ts";

/** Time limit for all servers together, in milliseconds, since an operator waits for the result. */
const LOOK_MS = 30_000;

/** Maximum length of the stderr line shown for a failed program, in characters. */
const WORDS_CHARS = 300;

/** Connects each server once and reports the result; leaves none running. */
export async function checkServers(
  { secrets, ...mcp }: McpConfig,
  world: Pick<McpOptions, "version" | "clock" | "random" | "log" | "accessTo">,
): Promise<Finding[]> {
  const { hide } = secretMasking(secrets);
  const connections = createMcpConnections({ ...mcp, ...world, ask: () => Promise.resolve(null) });
  connections.start(AbortSignal.any([]));
  await waitAtMost(LOOK_MS, connections.settled(), world.clock);
  const found = connections.describe();
  await connections.stop();
  // The last words of a program that was still starting are known only after it was stopped.
  const words = new Map(connections.describe().map(({ name, lastStderr }) => [name, lastStderr]));
  return [
    ...mcp.idle.map(({ name, why, isMistake }) => ({ ok: !isMistake, text: `MCP server ${name}: ${why}` })),
    ...found.map((view) => {
      const ok = view.state.type === "connected";
      return { ok, text: `MCP server ${ok ? toolsOf(view) : hide(problemOf(view, words.get(view.name)))}` };
    }),
    ...found.flatMap(({ unmet }) => (unmet === null ? [] : [warned(`MCP server ${unmet}`)])),
  ];
}

function toolsOf({ name, tools }: McpServerView): string {
  const count = `${name}: ${counted(tools.length, "tool")}`;
  return [count, kindsText(tools)].filter((part) => part !== "").join("; ");
}

function problemOf({ name, state }: McpServerView, lastStderr = ""): string {
  const why = "why" in state ? state.why : null;
  const problem = why === null ? `did not respond within ${LOOK_MS / 1_000} s` : `is not connected: ${why}`;
  const line = tellingLine(lastStderr);
  return `${name} ${problem}.${line === "" ? "" : ` It wrote: ${line}`}`;
}

/**
 * Lines that state a reason: first those that begin with an error's name, then those that contain a word for failure.
 * Above them stands the failing source code.
 */
const TELLING = [
  /^[\W\d]{0,20}(?:npm (?:error|ERR!) \d{3} \w|[\w.]{0,60}(?:Error|Exception)\b.{0,60}: ?\S)/,
  /\b(?:error|fatal|failed|denied|cannot)\b/i,
];

/** Picks the line of stderr that states the reason, since traces and usage texts follow it; otherwise the last. */
function tellingLine(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !/^Node\.js v\d/.test(line));
  const telling = TELLING.flatMap((pattern) => lines.find((line) => pattern.test(line)) ?? []);
  return foreignLine(telling[0] ?? lines.at(-1) ?? "", WORDS_CHARS);
}
