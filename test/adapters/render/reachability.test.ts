import { expect, test } from "vitest";
import { connectWithRetries } from "../../../src/adapters/render/reachability.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { silentLog } from "../../support/silent-log.ts";

const network = () => new PlatformError("network", "no response");
const limited = new PlatformError("platform_rate_limited", "slow down", { retryAfterMs: 40_000 });
const wrongToken = new PlatformError("platform_auth", "invalid_auth");

/** The waits between tries that fail with these errors one after the other, and the outcome of the last try. */
async function tries(failures: readonly Error[]) {
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  const left = [...failures];
  const connect = async () => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return "connected";
  };
  const clock = { now: () => 0, after: () => () => {}, sleep };
  const options = { address: "chat.example", onHealth: () => {}, event: "not_reached", clock, log: silentLog };
  const outcome = await connectWithRetries(connect, options, new AbortController().signal).catch(
    (error: unknown) => error,
  );
  return { waits, outcome };
}

test("an unreachable platform is retried with backoff", async () => {
  const { waits, outcome } = await tries(Array.from({ length: 7 }, network));
  expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000]);
  expect(outcome).toBe("connected");
});

test("a platform that asks to wait is retried at the requested time", async () => {
  expect((await tries([network(), limited, network()])).waits).toEqual([1_000, 40_000, 5_000]);
});

test("a permanent failure ends the retries", async () => {
  expect(await tries([network(), wrongToken])).toEqual({ waits: [1_000], outcome: wrongToken });
});
