import type { Config } from "../../config/resolve.ts";
import { causeChain, proxyFailure, systemCode } from "../../core/protocol/system-code.ts";
import { CATALOG } from "../../core/providers/catalog.ts";
import { proxyFor } from "../../operations/proxy.ts";
import { defaultModelOf } from "./check-models.ts";
import { bad, type Finding, good } from "./finding.ts";

/** In milliseconds. */
const ANSWERS_WITHIN_MS = 5_000;

/** Checks that the proxy connects to a host that the program uses. Rejects with the signal's reason. */
export async function checkProxy(
  config: Config,
  { signal, withinMs = ANSWERS_WITHIN_MS }: { readonly signal?: AbortSignal; readonly withinMs?: number } = {},
): Promise<Finding[]> {
  const { proxy } = config;
  const place = placeOutside(config);
  if (proxy === null || proxyFor(proxy, place) === null) return [];
  const deadline = AbortSignal.timeout(withinMs);
  try {
    const stopped = AbortSignal.any([deadline, ...(signal === undefined ? [] : [signal])]);
    await fetch(place, { method: "HEAD", redirect: "manual", signal: stopped });
    return [good(`${proxy.name}: ${proxy.https.host} connects to ${place.host}`)];
  } catch (error) {
    signal?.throwIfAborted();
    const late = `the proxy does not answer within ${withinMs / 1_000} s: check its host and port`;
    const code = causeChain(error).map(systemCode).find(Boolean) ?? "no code";
    const other = `${place.host} cannot be reached through the proxy (${code}). A proxy that intercepts TLS needs its certificate in NODE_EXTRA_CA_CERTS`;
    return [bad(`${proxy.name}: ${proxyFailure(error) ?? (deadline.aborted ? late : other)}.`)];
  }
}

function placeOutside({ slack, discord, query, providers }: Config): URL {
  if (slack !== null) return new URL(slack.apiUrl ?? "https://slack.com/api/");
  if (discord !== null) return new URL(discord.apiUrl ?? "https://discord.com/api");
  const [id = ""] = (query.model ?? defaultModelOf({ providers })).split("/");
  const baseUrl = providers[id]?.baseUrl ?? CATALOG.find((entry) => entry.id === id)?.baseUrl;
  return URL.parse(baseUrl ?? "") ?? new URL("https://api.anthropic.com/");
}
