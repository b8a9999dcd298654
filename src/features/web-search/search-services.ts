import { z } from "zod";

/** One result of a search service. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchQuery {
  readonly query: string;
  readonly count: number;
}

/** How to query one service and parse its answer. */
interface SearchService {
  /** Null if there is no public instance. */
  readonly defaultUrl: string | null;
  readonly needsKey: boolean;
  request(asked: SearchQuery, baseUrl: string, apiKey: string): Request;
  readonly answer: z.ZodType<readonly SearchHit[]>;
}

export type SearchServiceName = "brave" | "tavily" | "searxng";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const contentHits = z
  .object({ results: z.array(z.object({ title: text, url: text, content: text })) })
  .transform(({ results }) => results.map(({ title, url, content }) => ({ title, url, snippet: content })));

export const SEARCH_SERVICES: Readonly<Record<SearchServiceName, SearchService>> = {
  /** Source: Brave Search API docs, Web search. */
  brave: {
    defaultUrl: "https://api.search.brave.com/res/v1",
    needsKey: true,
    request: ({ query, count }, baseUrl, apiKey) =>
      get(`${baseUrl}/web/search`, { q: query, count: String(count), text_decorations: "false" }, [
        ["x-subscription-token", apiKey],
      ]),
    answer: z
      .object({
        web: z.object({ results: z.array(z.object({ title: text, url: text, description: text })) }).nullish(),
      })
      .transform(({ web }) =>
        (web?.results ?? []).map(({ title, url, description }) => ({ title, url, snippet: description })),
      ),
  },
  /** Source: Tavily docs, Search endpoint. */
  tavily: {
    defaultUrl: "https://api.tavily.com",
    needsKey: true,
    request: ({ query, count }, baseUrl, apiKey) =>
      new Request(`${baseUrl}/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ query, max_results: count }),
      }),
    answer: contentHits,
  },
  /** Source: SearXNG docs, Search API. The instance must have `json` among its `search.formats`. */
  searxng: {
    defaultUrl: null,
    needsKey: false,
    request: ({ query }, baseUrl) => get(`${baseUrl}/search`, { q: query, format: "json" }, []),
    answer: contentHits,
  },
};

function get(address: string, parameters: Record<string, string>, headers: [string, string][]): Request {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return new Request(url, { headers: [["accept", "application/json"], ...headers] });
}
