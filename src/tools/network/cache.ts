import CachePolicy from "http-cache-semantics";
import type { HttpResponse } from "./exchange.ts";

/**
 * Maximum bytes of all bodies over all sessions, bytes of one body, and number of responses. The least recently used
 * goes first.
 */
const LIMITS = { bytes: 33_554_432, entryBytes: 4_194_304, entries: 500 };

type Headers = CachePolicy.Headers;

interface Entry {
  readonly policy: CachePolicy;
  readonly answer: HttpResponse;
}

/** One session's responses, in memory. No session sees what another one fetched. */
export interface SessionCache {
  /**
   * Returns the stored response if it is fresh; else calls `ask` with the headers that validate a stale one. Only the
   * server's own statements about freshness count; without any, every use asks again.
   */
  through(url: URL, headers: Headers, ask: (headers: Headers) => Promise<HttpResponse>): Promise<HttpResponse>;
}

export function createHttpCache(): (sessionId: string) => SessionCache {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= entries.get(key)?.answer.bytes.length ?? 0;
    entries.delete(key);
  };
  const keep = (key: string, entry: Entry): void => {
    forget(key);
    const { length } = entry.answer.bytes;
    if (!entry.policy.storable() || entry.answer.ending !== "whole" || length > LIMITS.entryBytes) return;
    entries.set(key, entry);
    bytes += length;
    for (const oldest of entries.keys()) {
      if (bytes <= LIMITS.bytes && entries.size <= LIMITS.entries) break;
      forget(oldest);
    }
  };
  return (sessionId) => ({
    through: async (url, headers, ask) => {
      const key = `${sessionId} ${url.href}`;
      const asked = { url: url.href, method: "GET", headers };
      const known = entries.get(key);
      if (known?.policy.satisfiesWithoutRevalidation(asked)) {
        keep(key, known); // now the most recently used
        return withHeaders(known);
      }
      const sent = known === undefined ? headers : known.policy.revalidationHeaders(asked);
      const answer = await ask(sent);
      const entry = newEntry({ ...asked, headers: sent }, answer, known);
      keep(key, entry);
      return withHeaders(entry);
    },
  });
}

function newEntry(asked: CachePolicy.HttpRequest, answer: HttpResponse, known: Entry | undefined): Entry {
  if (known === undefined || answer.status !== 304) {
    // The cache is private to a session, and guessing freshness from Last-Modified would show yesterday's page.
    return { policy: new CachePolicy(asked, answer, { shared: false, cacheHeuristic: 0 }), answer };
  }
  const { policy } = known.policy.revalidatedPolicy(asked, answer);
  return { policy, answer: known.answer };
}

function withHeaders({ policy, answer }: Entry): HttpResponse {
  return { ...answer, headers: policy.responseHeaders() };
}
