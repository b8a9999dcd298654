import { z } from "zod";
import { spelledPattern } from "../../core/trust/host-patterns.ts";

/** Maximum characters of a name with its port. Source: RFC 1035, 253 characters of a name. */
const MAX_HOST_CHARS = 260;

const MAX_HOSTS = 10;

const hostName = z
  .string()
  .max(MAX_HOST_CHARS)
  .transform((text, issues) => {
    const host = oneHost(text);
    if (host !== null) return host;
    issues.addIssue("must be one host, without scheme, path and *");
    return z.NEVER;
  });

/** Hosts that a call names explicitly, normalised, each once and in order. Defaults to none. */
export const namedHosts = z
  .array(hostName)
  .max(MAX_HOSTS)
  .default([])
  .transform((hosts) => [...new Set(hosts)].sort());

/** The normalised host for comparison; null if the text is not a single host. */
function oneHost(text: string): string | null {
  const host = spelledPattern(text);
  return host === null || host.startsWith("*") ? null : host;
}

/** URLs by which a host is judged before anything is fetched from it, one for each port that it covers. */
export function rootsOf(host: string): string[] {
  const port = /:(\d+)$/.exec(host)?.[1];
  if (port === "80") return [`http://${host}/`];
  return port === undefined ? [`http://${host}/`, `https://${host}/`] : [`https://${host}/`];
}
