import type { CallEnvironment, CallRule } from "../../core/tool.ts";
import type { IsForbiddenAddress } from "./addresses.ts";
import { NetworkRefusal } from "./refusal.ts";
import { isListed, parseTarget, refuseForbidden } from "./target.ts";

/**
 * The rule for a call that would reach the hosts of these URLs: listed hosts are permitted, a person decides on others
 * in mode write, and other modes refuse them.
 */
export function hostRule(
  texts: readonly string[],
  place: CallEnvironment,
  isForbidden: IsForbiddenAddress,
): CallRule | null {
  try {
    const urls = texts.map((text) => parseTarget(text));
    for (const url of urls) refuseForbidden(url, place, isForbidden);
    const hosts = [...new Set(urls.filter((url) => !isListed(url, place)).map(({ host }) => host))];
    if (hosts.length === 0) return null;
    const unlisted = notListed(hosts);
    if (place.mode === "write") return { type: "ask", why: `${unlisted}.`, always: false };
    const them = hosts.length === 1 ? "it" : "them";
    return {
      type: "refuse",
      reason: `${unlisted}, and in mode ${place.mode} nobody is asked. Continue without ${them}; an operator can add ${them} to allowedHosts.`,
    };
  } catch (error) {
    if (error instanceof NetworkRefusal) return { type: "refuse", reason: error.message };
    throw error;
  }
}

/** A clause for use within a sentence. */
export function notListed(hosts: readonly string[]): string {
  return `${hosts.join(", ")} ${hosts.length === 1 ? "is" : "are"} not on the list of allowed hosts`;
}
