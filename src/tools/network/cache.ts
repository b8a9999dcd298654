import CachePolicy from "http-cache-semantics";
import type { Answer } from "./exchange.ts";

/** Bytes of bodies over all sessions, of one body, and responses in all. What is used least goes first. */
const LIMITS = { bytes: 33_554_432, entryBytes: 4_194_304, entries: 500 };

type Headers = CachePolicy.Headers;

interface Entry {
  readonly policy: CachePolicy;
  readonly answer: Answer;
}

/** A session's responses, in memory: none sees what another one fetched. */
export interface SessionCache {
  /**
   * The stored response where it is fresh, else what `ask` brings: called with the headers that validate
   * a stale one. Only what a server says of freshness counts; without a word of it every use asks again.
   */
  through(url: URL, headers: Headers, ask: (headers: Headers) => Promise<Answer>): Promise<Answer>;
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
        keep(key, known); // now the one used last
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

function newEntry(asked: CachePolicy.HttpRequest, answer: Answer, known: Entry | undefined): Entry {
  if (known === undefined || answer.status !== 304) {
    // Sessions are single users; a guess from Last-Modified would show people yesterday's page.
    return { policy: new CachePolicy(asked, answer, { shared: false, cacheHeuristic: 0 }), answer };
  }
  const { policy } = known.policy.revalidatedPolicy(asked, answer);
  return { policy, answer: known.answer };
}

function withHeaders({ policy, answer }: Entry): Answer {
  return { ...answer, headers: policy.responseHeaders() };
}
