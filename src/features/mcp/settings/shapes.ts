import { z } from "zod";
import { suggestion } from "../../../config/problems.ts";
import type { Input } from "./expand.ts";

/** Converts pasted settings that were written for other programs, each with its own names for the same fields. */

const record = z.record(z.string(), z.unknown());
type Raw = z.infer<typeof record>;

/** Keys that hold servers: for this program and most others, VS Code, Zed and Codex. */
const BLOCKS = ["mcpServers", "servers", "context_servers", "mcp_servers"] as const;

const inputSchema = z.object({
  id: z.string(),
  description: z.string().optional().catch(undefined),
  default: z.string().optional().catch(undefined),
});

export interface Pasted {
  /** As written; if a name appears twice, the first entry counts. */
  readonly servers: readonly (readonly [name: string, entry: unknown])[];
  readonly inputs: readonly Input[];
  readonly problems: readonly string[];
}

/** Keys of the settings file that hold servers or their inputs, in any program's naming. */
export const SERVER_KEYS: readonly string[] = [...BLOCKS, "inputs", "mcp"];

/** The servers of a settings file. VS Code puts them in blocks under `mcp`, OpenCode directly. */
export function takeServers({ inputs, mcp, ...all }: Readonly<Raw>): Pasted {
  const { within, servers, problems } = takeMcp(mcp);
  for (const [key, block] of BLOCKS.flatMap((key) => [
    [key, all[key]] as const,
    [`mcp.${key}`, within[key]] as const,
  ])) {
    if (block === undefined) continue;
    const parsed = record.safeParse(block);
    if (!parsed.success) problems.push(`${key}: must be an object`);
    for (const [name, entry] of Object.entries(parsed.data ?? {})) if (!servers.has(name)) servers.set(name, entry);
  }
  const given = z.array(z.unknown()).safeParse(inputs ?? within["inputs"]).data ?? [];
  const known = given.flatMap((input) => inputSchema.safeParse(input).data ?? []);
  return { servers: [...servers], inputs: known, problems };
}

/** The contents of `mcp`: VS Code's blocks, or OpenCode's servers by name. */
function takeMcp(mcp: unknown): { within: Raw; servers: Map<string, unknown>; problems: string[] } {
  const parsed = record.safeParse(mcp ?? {});
  if (!parsed.success) return { within: {}, servers: new Map(), problems: ["mcp: must be an object"] };
  const blocks: readonly string[] = [...BLOCKS, "inputs"];
  const others = Object.entries(parsed.data).filter(([key]) => !blocks.includes(key) && !SHOWN.test(key));
  const [direct, unknown] = [
    others.filter(([, entry]) => isServer(entry)),
    others.filter(([, entry]) => !isServer(entry)),
  ];
  const problems = unknown.map(
    ([key]) =>
      `mcp.${key}: is neither a known key nor a server, which has a \`command\` or a \`url\`.${suggestion(key, blocks)}`,
  );
  return { within: parsed.data, servers: new Map(direct), problems };
}

function isServer(entry: unknown): boolean {
  const { command, url } = record.safeParse(entry).data ?? {};
  return typeof command === "string" || Array.isArray(command) || typeof url === "string";
}

export interface OwnShape {
  /** In this program's shape; not yet validated. */
  readonly entry: Raw;
  readonly isDisabled: boolean;
  /** Keys without a meaning here. */
  readonly unknown: readonly string[];
  /** Sentences about settings without effect. */
  readonly notes: readonly string[];
}

/** Fields that programs display, or keep for themselves. */
const SHOWN =
  /^(?:\$schema|_?comments?|_?notes?|name|title|displayName|icon|iconUrl|version|author|homepage|tags|gallery|source|settings)$/;

/** Fields that let tools run unasked in other programs. Here only the operator's own `tools` settings can. */
const APPROVES = ["autoApprove", "alwaysAllow", "autoApproveTools", "trust"];

const NO_ENV_FILE =
  'envFile has no effect here. Put its variables into Deckhand\'s environment, and each into `env`: "NAME": "${NAME}".';

/** Converts one server's entry to this program's shape, whatever program it was written for. */
export function ownShape({ transport, ...given }: Readonly<Raw>, known: readonly string[]): OwnShape {
  const notes: string[] = [];
  const raw: Raw = { ...given, ...(record.safeParse(transport).data ?? { transport }) };
  const left = new Map(Object.entries(raw).filter(([key, value]) => !SHOWN.test(key) && value != null && value !== ""));
  const take = (...keys: readonly string[]): unknown => {
    const key = keys.find((one) => left.has(one));
    const value = key === undefined ? undefined : left.get(key);
    for (const one of keys) left.delete(one);
    return value;
  };
  const program = programOf(take("command", "cmd"));
  const isDisabled = take("disabled") === true || [take("enabled"), take("isActive")].includes(false);
  const approving = APPROVES.filter((key) => isGiven(take(key)));
  if (approving.length > 0) {
    notes.push(
      `${approving.join(", ")} ${approving.length === 1 ? "has" : "have"} no effect here. To let a tool run without asking, set it to \`"reads"\` in \`tools\`.`,
    );
  }
  if (isGiven(take("envFile"))) notes.push(NO_ENV_FILE);
  const entry = withoutUnset({
    ...program,
    args: texts(take("args", "arguments") ?? program.args),
    env: withReferences(textValues(take("env", "environment") ?? program.env), variablesIn(take("env_vars"))),
    url: take("url", "httpUrl", "serverUrl", "baseUrl", "endpoint"),
    headers: withReferences(textValues(take("headers", "http_headers") ?? requestHeaders(take("requestInit"))), {
      ...variablesIn(take("env_http_headers")),
      ...bearer(take("bearer_token_env_var")),
    }),
    oauth: oauthOf({ scopes: take("scopes"), ...record.safeParse(take("oauth", "auth")).data }),
    type: take("type", "transport", "transportType"),
    timeoutMs: take("timeoutMs") ?? milliseconds(take("timeout", "tool_timeout_sec")),
    tools: toolsOf(take("tools"), take("disabledTools", "excludeTools", "disabled_tools")),
    onlyTools: only(take("onlyTools", "includeTools", "enabledTools", "enabled_tools") ?? list(raw["tools"])),
  });
  for (const key of known) {
    const value = take(key);
    if (value !== undefined && entry[key] === undefined) entry[key] = value;
  }
  return { entry, isDisabled, unknown: [...left.keys()], notes };
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** Splits a command written as one text or list with its arguments, or (Zed) as an object. */
function programOf(command: unknown): Raw {
  if (Array.isArray(command)) return { command: command[0], args: command.slice(1) };
  const parts = record.safeParse(command).data;
  if (parts !== undefined)
    return { command: parts["path"] ?? parts["command"], args: parts["args"], env: parts["env"] };
  // A path may contain spaces; a bare program name may not.
  if (typeof command === "string" && /^[\w.@-]+\s/.test(command)) {
    const [name, ...args] = command.trim().split(/\s+/);
    return { command: name, args };
  }
  return { command };
}

/** Converts numbers and booleans, which a file may hold without quotes. */
function asText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

function texts(value: unknown): unknown {
  return Array.isArray(value) ? value.map(asText) : value;
}

/** Drops null values, which mean "not set". */
function textValues(value: unknown): unknown {
  const parsed = record.safeParse(value);
  if (!parsed.success) return value ?? undefined;
  const set = Object.entries(parsed.data).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(set.map(([key, one]) => [key, asText(one)]));
}

function requestHeaders(init: unknown): unknown {
  return record.safeParse(init).data?.["headers"];
}

/** References to variables that are given by name, in a list or as the value of each header. */
function variablesIn(given: unknown): Record<string, string> {
  const named = Array.isArray(given) ? given.map((name) => [String(name), name] as const) : Object.entries(given ?? {});
  return Object.fromEntries(named.map(([key, name]) => [key, `\${${String(name)}}`]));
}

function bearer(variable: unknown): Record<string, string> {
  return typeof variable === "string" ? { Authorization: `Bearer \${${variable}}` } : {};
}

/** Settings of a client for OAuth, in the spelling of Claude Code, Gemini CLI, OpenCode, Codex or Cursor. */
function oauthOf(given: Raw): unknown {
  const first = (...keys: readonly string[]) => keys.map((key) => given[key]).find((one) => one != null && one !== "");
  const scope = first("scope", "scopes");
  const port = asText(first("callbackPort", "callback_port"));
  const oauth = withoutUnset({
    clientId: first("clientId", "client_id", "CLIENT_ID"),
    clientSecret: first("clientSecret", "client_secret", "CLIENT_SECRET"),
    scope: Array.isArray(scope) ? scope.join(" ") || undefined : scope,
    redirectUri:
      first("redirectUri", "redirect_uri", "callback_url") ??
      (typeof port === "string" ? `http://localhost:${port}/callback` : undefined),
    issuer: first("issuer"),
  });
  return Object.keys(oauth).length === 0 ? undefined : oauth;
}

/** Merges references into an object. Anything else stays as it is, so that validation reports it. */
function withReferences(values: unknown, references: Record<string, string>): unknown {
  if (Object.keys(references).length === 0) return values;
  const own = record.safeParse(values ?? {});
  return own.success ? { ...references, ...own.data } : values;
}

/** Numbers below this are read as seconds, as some programs write a server's `timeout`. */
const MIN_MS = 1_000;
const LONGEST_MS = 3_600_000;

function milliseconds(timeout: unknown): unknown {
  const number = typeof timeout === "string" ? Number(timeout) : timeout;
  if (typeof number !== "number" || !(number > 0)) return undefined;
  return Math.min(Math.ceil(number < MIN_MS ? number * 1_000 : number), LONGEST_MS);
}

function list(value: unknown): unknown {
  return Array.isArray(value) ? value : undefined;
}

/** A list of tool names; `*` among them means every tool. */
function only(names: unknown): unknown {
  return Array.isArray(names) && names.includes("*") ? undefined : names;
}

/** Settings of single tools, including those to leave out. A plain list of names becomes `onlyTools` instead. */
function toolsOf(tools: unknown, disabled: unknown): unknown {
  const own = record.safeParse(tools).data;
  if (own === undefined && !Array.isArray(disabled)) return Array.isArray(tools) ? undefined : tools;
  const said = Object.entries(own ?? {}).map(([name, settings]) => [name, KINDS.get(settings) ?? settings] as const);
  const all = new Map<string, unknown>(said);
  for (const each of Array.isArray(disabled) ? disabled : []) {
    all.set(String(each), { ...record.safeParse(all.get(String(each))).data, disabled: true });
  }
  return Object.fromEntries(all);
}

/** What a tool does, in one word, and the permission that follows from it. */
const KINDS: ReadonlyMap<unknown, Raw> = new Map([
  ["reads", { permission: "read" }],
  ["sends", { permission: "execute" }],
]);

function withoutUnset(entry: Raw): Raw {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}
