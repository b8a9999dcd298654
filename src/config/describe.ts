import { unescape } from "node:querystring";
import { proxySecrets } from "../operations/proxy.ts";
import type { Config } from "./resolve.ts";

/** Every credential in the configuration, so that its values can be masked in log lines. */
export function secretsOf(config: Config): string[] {
  const mode = config.slack?.mode;
  const signing = mode?.type === "socket" ? mode.appToken : mode?.signingSecret;
  const slack = [config.slack?.botToken, signing].filter((given) => given !== undefined);
  const discord = config.discord === null ? [] : [config.discord.token];
  const providers = Object.values(config.providers).flatMap(({ apiKey, baseUrl }) => [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...passwordOf(baseUrl),
  ]);
  const features = config.features.flatMap(({ secrets }) => secrets ?? []);
  const database = [config.database.url, config.database.directUrl].flatMap(passwordOf);
  return [...new Set([...slack, ...discord, ...providers, ...features, ...database, ...proxySecrets(config.proxy)])];
}

/** The password as written in the URL, and decoded. */
function passwordOf(url: string | undefined): string[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  const given = [password, unescape(password), searchParams.get("password") ?? ""];
  return given.filter((text) => text !== "");
}
