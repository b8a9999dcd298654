import type { ApprovalRules } from "../../core/permissions/deciders.ts";
import { isObject } from "../../core/text/from-json.ts";
import type { Config } from "../resolve.ts";
import { QUERY_KEYS } from "../settings.ts";
import type { Path } from "./plain.ts";

/** Which settings hold as soon as they are set: those that everybody reads, each time, from the one configuration. */

const AT_ONCE = new Set(["budgets", "access", "approvals", "allowedHosts", "blockedUrls", "channels", ...QUERY_KEYS]);
/** Agents are read, and directories shared out, when the program begins. */
const LATER = new Set(["agentDefinition", "workingDirectory", "directory"]);

/** Everything else holds after a restart. */
export function holdsAtOnce(path: Path): boolean {
  const [key = ""] = path;
  return AT_ONCE.has(key) && !LATER.has(key === "channels" ? (path[2] ?? "") : key);
}

type LivePart = "query" | "channels" | "budgets" | "access" | "approvals" | "allowedHosts" | "sinks" | "blockedUrls";

/** The parts that are replaced from within, shared with no other configuration. */
export function ownParts(config: Config): Pick<Config, LivePart> {
  const { query, channels, budgets, access, approvals, allowedHosts, sinks, blockedUrls } = config;
  return structuredClone({ query, channels, budgets, access, approvals, allowedHosts, sinks, blockedUrls });
}

/** Puts what holds at once into what is there, so that whoever has a part of it has the new one. */
export function takeOver(config: Config, next: Config): void {
  const { query, channels, budgets, access, approvals, allowedHosts, sinks, blockedUrls } = ownParts(next);
  replace(config.query, later(query, config.query));
  const ids = [...Object.keys(channels), ...Object.keys(config.channels)];
  const places = ids.map((id) => [id, later(channels[id] ?? {}, config.channels[id] ?? {})]);
  replace(config.channels, Object.fromEntries(places));
  replace(config.budgets, budgets);
  replace(config.access, access);
  replace(config.approvals, approvals);
  replace(config.allowedHosts, allowedHosts);
  replace(config.sinks, sinks);
  replace(config.blockedUrls, blockedUrls);
  if (next.instructions === undefined) Reflect.deleteProperty(config, "instructions");
  else Reflect.set(config, "instructions", next.instructions);
}

/** Settings as they are to be, but for those that hold later: these stay as they were. */
function later(next: object, was: object): object {
  const now = Object.entries(next).filter(([key]) => !LATER.has(key));
  const stays = Object.entries(was).filter(([key]) => LATER.has(key));
  return Object.fromEntries([...now, ...stays]);
}

/** In place; lists that it holds as well, since others have them. */
function replace(there: unknown, next: unknown): void {
  if (Array.isArray(there) && Array.isArray(next)) there.splice(0, there.length, ...next);
  else if (isObject(there) && isObject(next)) replaceKeys(there, next);
}

function replaceKeys(there: object, next: object): void {
  for (const key of Object.keys(there)) if (!Object.hasOwn(next, key)) Reflect.deleteProperty(there, key);
  for (const [key, value] of Object.entries(next)) {
    const old: unknown = Reflect.get(there, key);
    if (Array.isArray(old) && Array.isArray(value)) replace(old, value);
    else Reflect.set(there, key, value);
  }
}

/** Who decides what asks first, as it is at each moment. */
export function approvalRulesOf(config: Config): ApprovalRules {
  return {
    get approvers() {
      return config.approvals.approvers;
    },
    get requester() {
      return config.approvals.requester;
    },
    get expiresMinutes() {
      return config.approvals.expiresMinutes;
    },
    get admins() {
      return config.access.admins;
    },
  };
}
