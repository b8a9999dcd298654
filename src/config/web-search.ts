import type { EnvironmentSettings } from "./environment.ts";
import type { Settings } from "./settings.ts";

/** The service behind web_search, with what the environment adds. */
export type WebSearchConfig = NonNullable<Settings["webSearch"]>;

/** The environment wins. */
export function webSearchOf({ webSearch }: Settings, env: EnvironmentSettings): WebSearchConfig | null {
  if (webSearch === undefined) return null;
  const keys = { brave: env.BRAVE_API_KEY, tavily: env.TAVILY_API_KEY, searxng: undefined };
  const apiKey = keys[webSearch.service];
  const baseUrl = webSearch.service === "searxng" ? env.SEARXNG_BASE_URL : undefined;
  return {
    ...webSearch,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** A search service without its key or address could only fail. */
export function webSearchProblems(settings: Settings, env: EnvironmentSettings): string[] {
  const search = webSearchOf(settings, env);
  if (search === null) return [];
  if (search.service === "searxng") {
    return search.baseUrl === undefined ? ["webSearch: searxng needs `baseUrl`, or SEARXNG_BASE_URL."] : [];
  }
  const variable = search.service === "brave" ? "BRAVE_API_KEY" : "TAVILY_API_KEY";
  return search.apiKey === undefined ? [`webSearch: ${search.service} needs a key. Set ${variable}.`] : [];
}
