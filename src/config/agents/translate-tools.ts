import { partToolNames, readToolNames } from "../../core/skills/skill-format/tool-names.ts";
import { isObject } from "../../core/text/from-json.ts";

/** Tool settings in agents' files: lists of names, or maps that enable or disable each tool. */
export interface ToolFields {
  readonly tools: unknown;
  readonly disallowedTools: unknown;
  /** By tool: `allow`, `ask` or `deny`, or one of these by pattern. Source: the documents of OpenCode, Permissions. */
  readonly permission: unknown;
}

export interface TranslatedTools {
  /** Fields in the form of `agentSchema`. Malformed values stay, so that validation reports them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly notes: readonly (readonly [key: string, text: string])[];
}

/** Tools that an agent keeps, and tools taken from it. */
interface Switches {
  readonly on: readonly string[];
  readonly off: readonly string[];
  readonly notes: readonly string[];
}

export function translateTools({ tools, disallowedTools, permission }: ToolFields): TranslatedTools {
  const byMap = switchesIn(tools);
  const byPermission = permissionsIn(permission);
  const taken = takenIn(disallowedTools);
  const except = takenIn(textsOf(tools)?.flatMap((name) => EXCEPT.exec(name)?.[1] ?? []));
  const list = byMap === null ? namesIn(tools) : null;
  const maps = [byMap, byPermission, taken, except].filter((map) => map !== null);
  // If everything else is forbidden, the allowed tools form a list.
  const closed = maps.filter(({ off }) => off.includes("*")).map(({ on }) => readToolNames(on));
  const gone = readToolNames(maps.flatMap(({ off }) => off.filter((name) => name !== "*").flatMap(wholeServer)));
  const foreign = [list, ...closed, gone].flatMap((read) => read?.foreign ?? []);
  const kept = inAll([...(list === null ? [] : [list.names]), ...closed.map(({ names }) => names)]);
  return {
    fields: {
      ...(kept === null ? {} : { tools: kept }),
      ...(gone.names.length === 0 ? {} : { disallowedTools: gone.names }),
      ...(isSet(disallowedTools) && taken === null ? { disallowedTools } : {}),
      ...(permission !== undefined && byPermission === null ? { permission } : {}),
    },
    notes: [
      ...(foreign.length === 0 ? [] : [["tools", `Deckhand has no tool named ${foreign.join(", ")}`] as const]),
      ...patternNote(list),
      ...(byPermission?.notes ?? []).map((note) => ["permission", note] as const),
    ],
  };
}

/** A tool that is allowed in part is allowed completely. */
function patternNote(list: NamesRead | null): (readonly [string, string])[] {
  const whole = list?.patterns ?? [];
  if (whole.length === 0) return [];
  return [["tools", `patterns are not supported, so the agent gets the whole tool for ${whole.join(", ")}`]];
}

/** The tools in all of the lists; null if there are none. A malformed list is returned as it is. */
function inAll(lists: readonly unknown[]): unknown {
  const strange = lists.find((names) => !isTexts(names));
  if (strange !== undefined) return strange;
  const [first, ...others] = lists.filter(isTexts);
  return first?.filter((name) => others.every((names) => names.includes(name))) ?? null;
}

/**
 * A pattern of a server's tools, such as `mcp__github__*` or OpenCode's `github_*`, disables the whole server,
 * including `mcp_resources`, the single tool for all servers' resources.
 */
function wholeServer(name: string): readonly string[] {
  const server = name.endsWith("*") ? serverOf(name) : name;
  return /^mcp(?:__(?!.*__)|$)/u.test(server) ? [server, "mcp_resources"] : [server];
}

function serverOf(pattern: string): string {
  if (!pattern.startsWith("mcp__")) return `mcp__${pattern.replace(/^mcp_/u, "").replace(/_?\*$/u, "")}`;
  const parts = pattern.split("__");
  const end = parts.findIndex((part) => part.includes("*"));
  return parts.slice(0, end).join("__");
}

interface NamesRead {
  readonly names: unknown;
  readonly foreign: readonly string[];
  /** Names restricted to a part of a tool: `Bash(npm test)`. */
  readonly patterns: readonly string[];
}

/** Null if all tools are meant, or none are named. Anything that is not names stays as it is. */
function namesIn(written: unknown): NamesRead | null {
  if (!isSet(written) || written === ALL) return null;
  const all = textsOf(written);
  if (all === null) return { names: written, foreign: [], patterns: [] };
  const names = all.filter((name) => !EXCEPT.test(name));
  const isOpen = names.includes("*") || (names.length === 0 && all.length > 0);
  return isOpen ? null : { ...readToolNames(names), patterns: names.filter(isPart) };
}

/** An excluded tool, as in `["*", "!write"]`. */
const EXCEPT = /^!(.+)/u;

/** Null if it is not a list of names. */
function textsOf(written: unknown): readonly string[] | null {
  const names = typeof written === "string" ? partToolNames(written) : written;
  return isTexts(names) ? names : null;
}

const ALL = "All tools";

/** Whether only a part of a tool is meant. Restricted to git, it is instead the read-only tool for git here. */
function isPart(name: string): boolean {
  return /\([^*]/u.test(name) && !readToolNames([name]).names.includes("git");
}

function isSet(written: unknown): boolean {
  return written !== undefined && written !== null;
}

/** The disabled tools; null if there are none, or it is not a list of names. */
function takenIn(written: unknown): Switches | null {
  const names = textsOf(written);
  if (names === null) return null;
  return {
    on: [],
    off: written === ALL ? ["*"] : names.flatMap((name) => (name === "bash" ? [name] : withRunners(name))),
    notes: [],
  };
}

/** In other programs only the shell runs programs, so disabling it disables `js_exec`, too. */
function withRunners(name: string): readonly string[] {
  return readToolNames([name]).names.includes("bash") ? [name, "js_exec"] : [name];
}

/** Reads `{ write: false, read: true }`; null if it is not such a map. */
function switchesIn(written: unknown): Switches | null {
  const entries = entriesOf(written);
  if (entries === null || !entries.every(([, value]) => typeof value === "boolean")) return null;
  const named = (is: boolean) => entries.filter(([, value]) => value === is).map(([name]) => name);
  return { on: named(true), off: named(false).flatMap(withRunners), notes: [] };
}

const VERDICTS: ReadonlySet<unknown> = new Set(["allow", "ask", "deny"]);

/** Reads `{ edit: deny, bash: { "*": ask, "git push*": deny } }`; null if it is not such a map. */
function permissionsIn(written: unknown): Switches | null {
  if (typeof written === "string" && VERDICTS.has(written)) return permissionsIn({ "*": written });
  const entries = entriesOf(written);
  if (entries === null) return null;
  const read = entries.map(([name, value]) => ({ name, verdicts: verdictsOf(value) }));
  if (!read.every(({ verdicts }) => verdicts.length > 0 && verdicts.every(([, verdict]) => VERDICTS.has(verdict)))) {
    return null;
  }
  // A restriction that cannot be applied in part is applied to the whole tool.
  const isOff = ({ verdicts }: (typeof read)[number]) => verdicts.some(([, verdict]) => verdict === "deny");
  const [off, on] = [read.filter(isOff), read.filter((one) => !isOff(one))];
  const cut = off.flatMap(({ name, verdicts }) => (verdicts.some(([pattern]) => pattern !== "*") ? [name] : []));
  const asks = on.flatMap(({ name, verdicts }) => (verdicts.some(([, verdict]) => verdict === "ask") ? [name] : []));
  const namesOfAll = (some: typeof read) => some.flatMap(({ name }) => (name === "edit" ? WRITERS : [name]));
  return {
    on: namesOfAll(on),
    off: namesOfAll(off).flatMap(withRunners),
    notes: [
      ...(cut.length === 0 ? [] : [`patterns are not supported, so all of ${cut.join(", ")} is disabled`]),
      ...(asks.length === 0 ? [] : [`the thread's mode decides what needs approval, also for ${asks.join(", ")}`]),
    ],
  };
}

/** In OpenCode, one permission covers all editing. */
const WRITERS = ["edit", "write"];

function verdictsOf(value: unknown): readonly (readonly [pattern: string, verdict: unknown])[] {
  return entriesOf(value) ?? [["*", value]];
}

function entriesOf(value: unknown): readonly [string, unknown][] | null {
  return isObject(value) ? Object.entries(value) : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
