import { DISCORD } from "./adapters/discord/descriptor.ts";
import { SLACK } from "./adapters/slack/descriptor.ts";
import { TERMINAL } from "./adapters/terminal/descriptor.ts";
import { WEB } from "./adapters/web/descriptor.ts";
import type { Config } from "./config.ts";
import type { Describe, Platforms } from "./core/platform/descriptor.ts";
import type { PlatformName } from "./core/platform/thread.ts";
import { PlatformError } from "./core/protocol/errors.ts";

/** All platforms, described without loading their adapters. app.ts loads only the adapters that are used. */
export const PLATFORMS: Platforms = new Map(
  [SLACK, DISCORD, WEB, TERMINAL].map((platform) => [platform.name, platform]),
);

export const describePlatform: Describe = (name) => {
  const found = PLATFORMS.get(name);
  if (found !== undefined) return found;
  throw new PlatformError("platform_failed", `there is no platform ${name}`, { detail: { platform: name } });
};

/** Whether the settings turn a platform on. The page and terminals are always on. */
export function isOn({ slack, discord }: Pick<Config, "slack" | "discord">, name: PlatformName): boolean {
  const accounts: Partial<Record<PlatformName, unknown>> = { slack, discord };
  return accounts[name] !== null;
}
