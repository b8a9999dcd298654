import { DISCORD } from "./adapters/discord/descriptor.ts";
import { SLACK } from "./adapters/slack/descriptor.ts";
import { TERMINAL } from "./adapters/terminal/descriptor.ts";
import { WEB } from "./adapters/web/descriptor.ts";
import type { Describe, Platforms } from "./core/platform/descriptor.ts";
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
