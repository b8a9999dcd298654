import { describe } from "vitest";
import type { PlatformHarness, PlatformTraits } from "./platform-harness.ts";
import { inboundContract } from "./platform-inbound.ts";
import { lifecycleContract } from "./platform-lifecycle.ts";
import { outboundContract } from "./platform-outbound.ts";

/**
 * Requirements of the core for every chat platform. An adapter's test file calls this with a function that opens a new
 * local server with an adapter on it; each test opens its own and disposes of it.
 */
export function platformContract(
  name: string,
  openHarness: () => Promise<PlatformHarness>,
  traits: PlatformTraits,
): void {
  describe(`${name} as a chat platform`, () => {
    inboundContract(openHarness, traits);
    outboundContract(openHarness, traits);
    lifecycleContract(openHarness, traits);
  });
}
