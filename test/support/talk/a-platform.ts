import type { PlatformDescriptor } from "../../../src/core/platform/descriptor.ts";
import { describePlatform } from "../../../src/platforms.ts";

/** Slack's descriptor as the core knows it, with a test's changes. */
export function aPlatform(changes: Partial<PlatformDescriptor> = {}): PlatformDescriptor {
  return { ...describePlatform("slack"), ...changes };
}
