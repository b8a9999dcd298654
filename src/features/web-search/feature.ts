import { z } from "zod";
import { field, secret } from "../../config/fields.ts";
import type { ConfiguredFeature, Feature, GivenSettings } from "../../feature.ts";

const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });
const text = z.string().min(1, "must not be empty");
const word = z.string().regex(/^\S+$/, "must not contain spaces");

const searchSchema = z.strictObject({
  service: field(z.enum(["brave", "tavily", "searxng"]), "The search service.", "brave"),
  apiKey: secret(text.exactOptional(), "Key of Brave or Tavily. Prefer the environment variable.", "…"),
  baseUrl: field(
    httpUrl.exactOptional(),
    "Address of a SearXNG instance, or another root of the service's API.",
    "http://127.0.0.1:8888",
  ),
});

/** The service behind web_search, including values from the environment. */
export type WebSearchSettings = z.infer<typeof searchSchema>;

const file = {
  webSearch: field(
    searchSchema.exactOptional(),
    "The service that web_search uses. Without it, the tool is not available.",
    {
      service: "brave",
    },
  ),
};
const environment = {
  BRAVE_API_KEY: secret(word.exactOptional(), "Key of Brave Search, for web_search.", "BSA…"),
  TAVILY_API_KEY: secret(word.exactOptional(), "Key of Tavily, for web_search.", "tvly-…"),
  SEARXNG_BASE_URL: field(
    httpUrl.exactOptional(),
    "Address of a SearXNG instance, for web_search.",
    "http://127.0.0.1:8888",
  ),
};
const given = z.object({ file: z.object(file), environment: z.object(environment) });

/** The tool web_search, if the operator has configured a service. */
export const webSearchFeature: Feature = { name: "web-search", settings: { file, environment }, configure };

function configure(sources: GivenSettings): ConfiguredFeature {
  const settings = webSearchSettings(sources);
  if (settings === null) return { problems: [] };
  return {
    problems: problemsOf(settings),
    secrets: settings.apiKey === undefined ? [] : [settings.apiKey],
    open: async () => {
      const { createWebSearch } = await import("./web-search.ts");
      const tools = [createWebSearch(settings)];
      return { tools: () => tools };
    },
  };
}

/** Variables of the environment take precedence; null if no service is configured. */
export function webSearchSettings(sources: Pick<GivenSettings, "file" | "environment">): WebSearchSettings | null {
  const {
    file: { webSearch },
    environment: env,
  } = given.parse(sources);
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

/** Reports a missing key or address, without which every search would fail. */
function problemsOf({ service, baseUrl, apiKey }: WebSearchSettings): string[] {
  if (service === "searxng") {
    return baseUrl === undefined ? ["webSearch: searxng needs `baseUrl`, or SEARXNG_BASE_URL."] : [];
  }
  const variable = service === "brave" ? "BRAVE_API_KEY" : "TAVILY_API_KEY";
  return apiKey === undefined ? [`webSearch: ${service} needs a key. Set ${variable}.`] : [];
}
