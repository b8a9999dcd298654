import type { ApprovalRules } from "../../core/permissions/deciders.ts";
import { isObject } from "../../core/text/from-json.ts";
import type { Config } from "../resolve.ts";
import { QUERY_KEYS } from "../settings.ts";
import type { Path } from "./plain.ts";

/** Settings that take effect as soon as they are set, because they are read from the shared configuration each time. */

const AT_ONCE = new Set(["budgets", "access", "approvals", "allowedHosts", "blockedUrls", "channels", ...QUERY_KEYS]);
/** Exceptions, because agents are read and directories assigned when the program begins. */
const DEFERRED = new Set(["agentDefinition", "workingDirectory", "directory"]);

/** Whether a setting takes effect at once; all others do after a restart. */
export function appliesAtOnce(path: Path): boolean {
  const [key = ""] = path;
  return AT_ONCE.has(key) && !DEFERRED.has(key === "channels" ? (path[2] ?? "") : key);
}

type LivePart = "query" | "channels" | "budgets" | "access" | "approvals" | "allowedHosts" | "sinks" | "blockedUrls";

/** Copies of the parts that are modified in place, so that no other configuration shares them. */
export function cloneLiveParts(config: Config): Pick<Config, LivePart> {
  const { query, channels, budgets, access, approvals, allowedHosts, sinks, blockedUrls } = config;
  return structuredClone({ query, channels, budgets, access, approvals, allowedHosts, sinks, blockedUrls });
}

/** Modifies the existing parts in place, so that everything that holds one sees the new values. */
export function updateInPlace(config: Config, next: Config): void {
  const { query, channels, ...others } = cloneLiveParts(next);
  replace(config.query, keepDeferred(query, config.query));
  const ids = [...Object.keys(channels), ...Object.keys(config.channels)];
  const places = ids.map((id) => [id, keepDeferred(channels[id] ?? {}, config.channels[id] ?? {})]);
  replace(config.channels, Object.fromEntries(places));
  for (const [part, value] of Object.entries(others)) replace(Reflect.get(config, part), value);
  if (next.instructions === undefined) Reflect.deleteProperty(config, "instructions");
  else Reflect.set(config, "instructions", next.instructions);
}

/** The new settings, except for those that take effect later, which keep their old values. */
function keepDeferred(next: object, was: object): object {
  const now = Object.entries(next).filter(([key]) => !DEFERRED.has(key));
  const stays = Object.entries(was).filter(([key]) => DEFERRED.has(key));
  return Object.fromEntries([...now, ...stays]);
}

/** Replaces the content in place, including that of lists, which others hold, too. */
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

/** The approval rules, always read from the current settings. */
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
