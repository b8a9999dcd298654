import type { PlatformDescriptor } from "../../../src/core/protocol/platform.ts";
import { describePlatform } from "../../../src/platforms.ts";

/** Slack as far as the core knows it, but for what a test is about. */
export function aPlatform(changes: Partial<PlatformDescriptor> = {}): PlatformDescriptor {
  return { ...describePlatform("slack"), ...changes };
}
