import { partToolNames, readToolNames } from "../../core/skills/skill-format/tool-names.ts";

/** What files of agents say of tools: lists of names, or maps that say of each whether the agent has it. */
export interface ToolWords {
  readonly tools: unknown;
  readonly disallowedTools: unknown;
  /** By tool: `allow`, `ask`, `deny`, or one of these by pattern. Source: the documents of OpenCode, Permissions. */
  readonly permission: unknown;
}

export interface ReadToolWords {
  /** As `agentSchema` has them; what is none of these shapes stays, to be found wrong. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly notes: readonly (readonly [key: string, text: string])[];
}

/** Tools that an agent keeps, and those that are taken from it. */
interface Switches {
  readonly on: readonly string[];
  readonly off: readonly string[];
  readonly notes: readonly string[];
}

export function readToolWords({ tools, disallowedTools, permission }: ToolWords): ReadToolWords {
  const byMap = switchesIn(tools);
  const byPermission = permissionsIn(permission);
  const list = byMap === null ? namesIn(tools) : null;
  const taken = namesIn(disallowedTools);
  const maps = [byMap, byPermission].filter((map) => map !== null);
  // Where everything else is forbidden, what is allowed is the list.
  const closed = maps.find(({ off }) => off.includes("*"));
  const kept = closed === undefined ? list : readToolNames(closed.on);
  const gone = readToolNames(maps.flatMap(({ off }) => off.filter((name) => name !== "*")));
  const isList = taken === null || Array.isArray(taken.names);
  const disallowed = isList ? [...new Set([...gone.names, ...namesOf(taken)])] : taken.names;
  const foreign = [...(kept?.foreign ?? []), ...gone.foreign];
  return {
    fields: {
      ...(kept === null ? {} : { tools: kept.names }),
      ...(Array.isArray(disallowed) && disallowed.length === 0 ? {} : { disallowedTools: disallowed }),
      ...(permission !== undefined && byPermission === null ? { permission } : {}),
    },
    notes: [
      ...(foreign.length === 0 ? [] : [["tools", `there is no ${foreign.join(", ")} here`] as const]),
      ...(byPermission?.notes ?? []).map((note) => ["permission", note] as const),
    ],
  };
}

interface NamesRead {
  readonly names: unknown;
  readonly foreign: readonly string[];
}

function namesOf(read: NamesRead | null): readonly string[] {
  return read !== null && isTexts(read.names) ? read.names : [];
}

/** Null: every tool, or none is said. What is neither a list nor a text of names stays. */
function namesIn(written: unknown): NamesRead | null {
  const names = typeof written === "string" ? partToolNames(written) : written;
  if (names === undefined || names === null || written === "All tools") return null;
  if (!isTexts(names)) return { names, foreign: [] };
  return names.includes("*") ? null : readToolNames(names);
}

/** `{ write: false, read: true }`; null where it is no such map. */
function switchesIn(written: unknown): Switches | null {
  const entries = entriesOf(written);
  if (entries === null || !entries.every(([, value]) => typeof value === "boolean")) return null;
  const named = (is: boolean) => entries.filter(([, value]) => value === is).map(([name]) => name);
  return { on: named(true), off: named(false), notes: [] };
}

const VERDICTS: ReadonlySet<unknown> = new Set(["allow", "ask", "deny"]);

/** `{ edit: deny, bash: { "*": ask, "git push*": deny } }`; null where it is no such map. */
function permissionsIn(written: unknown): Switches | null {
  if (typeof written === "string" && VERDICTS.has(written)) return permissionsIn({ "*": written });
  const entries = entriesOf(written);
  if (entries === null) return null;
  const read = entries.map(([name, value]) => ({ name, verdicts: verdictsOf(value) }));
  if (!read.every(({ verdicts }) => verdicts.length > 0 && verdicts.every(([, verdict]) => VERDICTS.has(verdict)))) {
    return null;
  }
  // A limit that cannot be held in part is held whole.
  const isOff = ({ verdicts }: (typeof read)[number]) => verdicts.some(([, verdict]) => verdict === "deny");
  const [off, on] = [read.filter(isOff), read.filter((one) => !isOff(one))];
  const cut = off.flatMap(({ name, verdicts }) => (verdicts.some(([pattern]) => pattern !== "*") ? [name] : []));
  const namesOfAll = (some: typeof read) => some.flatMap(({ name }) => (name === "edit" ? WRITERS : [name]));
  return {
    on: namesOfAll(on),
    off: namesOfAll(off),
    notes: cut.length === 0 ? [] : [`patterns are not known here, so that all of ${cut.join(", ")} is taken away`],
  };
}

/** There, what edits is one permission. */
const WRITERS = ["edit", "write"];

function verdictsOf(value: unknown): readonly (readonly [pattern: string, verdict: unknown])[] {
  return entriesOf(value) ?? [["*", value]];
}

function entriesOf(value: unknown): readonly [string, unknown][] | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
