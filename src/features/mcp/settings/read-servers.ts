import {
  describeIssues,
  environmentStyle,
  fileStyle,
  type KeyStyle,
  PARSE_OPTIONS,
  similarName,
} from "../../../config/problems.ts";
import type { Environment } from "../../../config/sources.ts";
import { isObject } from "../../../core/text/from-json.ts";
import type { McpServer } from "../server-settings.ts";
import { commandSchema, urlSchema } from "./entry.ts";
import { type Expansion, expand, type References, withBraces } from "./expand.ts";
import { serverKey } from "./server-key.ts";
import { serverSecrets } from "./server-secrets.ts";
import { ownShape, type Pasted } from "./shapes.ts";

/** A server in the settings that is not started. */
export interface IdleServer {
  readonly name: string;
  /** A whole sentence. */
  readonly why: string;
  /** True if its settings are invalid; false if it is disabled. */
  readonly isMistake: boolean;
}

export interface McpConfig {
  /** By key, see serverKey: letters, digits, `-` and single `_`, at most 24 characters. */
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly idle: readonly IdleServer[];
  /** The part of the bot's environment that every server's program gets: PATH and the like, never a key. */
  readonly environment: Readonly<Record<string, string>>;
  /** Values of variables that the servers' settings refer to, and values in them that may be credentials. */
  readonly secrets: readonly string[];
}

interface ReadServers extends Omit<McpConfig, "environment"> {
  /** Names of the variables referred to. */
  readonly used: readonly string[];
  /** Notes about settings without effect. */
  readonly notes: readonly string[];
}

/** Reads each server by itself: a mistake is reported for its server, and the others start. */
export function readServers({ servers: pasted, inputs }: Pasted, env: Environment): ReadServers {
  const servers: Record<string, McpServer> = {};
  const idle: IdleServer[] = [];
  const notes: string[] = [];
  const used = new Set<string>();
  const secrets = new Set<string>();
  for (const [name, raw] of pasted) {
    const found: Expansion = { used, secrets, problems: [] };
    const server = readServer(raw, { env, inputs }, found);
    if (server.type === "idle") idle.push({ name, why: server.why, isMistake: server.isMistake });
    notes.push(...server.notes.map((note) => `MCP server ${name}: ${note}`));
    if (server.type === "idle") continue;
    const key = serverKey(name);
    if (servers[key] !== undefined)
      idle.push({
        name,
        why: `Its name clashes with ${servers[key].title ?? key}. Rename one of them.`,
        isMistake: true,
      });
    else servers[key] = key === name ? server.settings : { ...server.settings, title: name };
  }
  for (const server of Object.values(servers)) for (const secret of serverSecrets(server)) secrets.add(secret);
  return { servers, idle, notes, used: [...used], secrets: [...secrets] };
}

type Read = { readonly notes: readonly string[] } & (
  | { readonly type: "server"; readonly settings: McpServer }
  | { readonly type: "idle"; readonly why: string; readonly isMistake: boolean }
);

/** Known fields. A key that resembles none of them gets no suggestion: other programs' blocks have many of these. */
const FIELDS = [...new Set([...Object.keys(commandSchema.shape), ...Object.keys(urlSchema.shape)])];

/** Names paths relative to the server's entry. */
const style: KeyStyle = {
  ...fileStyle(""),
  label: (path) => environmentStyle.label(path),
};

function readServer(raw: unknown, references: References, found: Expansion): Read {
  if (!isObject(raw)) return mistake("It must be an object.", []);
  const { entry, isDisabled, unknown, notes: said } = ownShape(raw, FIELDS);
  const notes = [
    ...said,
    ...unknown.map((key) => `${key} is unknown and has no effect.${similarName(key, FIELDS) ?? ""}`),
  ];
  if (isDisabled) return { type: "idle", why: "It is disabled in the settings.", isMistake: false, notes };
  const isProgram = "command" in entry;
  if (isProgram === "url" in entry) return mistake("It must have either a `command` or a `url`.", notes);
  const expanded = expandEntry(entry, references, found);
  if (found.problems.length > 0) return mistake(found.problems.join(" "), notes);
  const schema = isProgram ? commandSchema : urlSchema;
  const parsed = schema.safeParse(expanded, PARSE_OPTIONS);
  if (!parsed.success) return mistake(describeIssues(parsed.error, schema, style).join(" "), notes);
  return { type: "server", settings: parsed.data, notes };
}

function mistake(why: string, notes: readonly string[]): Read {
  return { type: "idle", why, isMistake: true, notes };
}

/** Fields in which references are expanded. */
const EXPANDED = ["command", "args", "cwd", "env", "url", "headers", "oauth"];

function expandEntry(entry: Record<string, unknown>, references: References, found: Expansion) {
  const expandIn = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((one, index) => expandIn(one, `${path}[${index}]`));
    if (isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expandIn(one, `${path}.${key}`)]));
    }
    if (typeof value !== "string") return value;
    const problems: string[] = [];
    const inside = /^(?:env|headers|oauth)\b/.test(path) ? withBraces(value, references) : value;
    const expanded = expand(inside, references, { ...found, problems });
    found.problems.push(...problems.map((problem) => `${path} ${problem}.`));
    return expanded;
  };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, EXPANDED.includes(key) ? expandIn(value, key) : value]),
  );
}
