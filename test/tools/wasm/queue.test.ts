import { expect, test } from "vitest";
import { CallQueue } from "../../../src/tools/wasm/call-queue.ts";

const LIMITS = { perSession: 1, perChannel: 2, inAll: 4 };

/** Lets everything that can begin begin. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function scene(limits = LIMITS) {
  const queue = new CallQueue(limits);
  const log: string[] = [];
  const leave = new Map<string, () => void>();
  const enter = (name: string, [sessionId, channelKey]: [string, string], signal = new AbortController().signal) => {
    const queued = (before: number): void => void log.push(`${name} waits behind ${before}`);
    return queue.enter({ sessionId, channelKey, signal, queued }).then((end) => {
      log.push(`${name} begins`);
      leave.set(name, end);
      return name;
    });
  };
  const end = async (name: string): Promise<string[]> => {
    leave.get(name)?.();
    await settle();
    return log.splice(0);
  };
  const soFar = async (): Promise<string[]> => {
    await settle();
    return log.splice(0);
  };
  return { enter, end, soFar };
}

test("a session's calls run one after the other, in order", async () => {
  const { enter, end, soFar } = scene();
  const all = Promise.all([enter("a", ["s1", "c1"]), enter("b", ["s1", "c1"]), enter("c", ["s1", "c1"])]);
  expect(await soFar()).toEqual(["b waits behind 1", "c waits behind 2", "a begins"]);
  expect(await end("a")).toEqual(["c waits behind 1", "b begins"]);
  expect(await end("b")).toEqual(["c begins"]);
  await all;
});

test("two calls of a channel run concurrently, a third waits, and other channels are unaffected", async () => {
  const { enter, end, soFar } = scene();
  const all = Promise.all([
    enter("a", ["s1", "c1"]),
    enter("b", ["s2", "c1"]),
    enter("c", ["s3", "c1"]),
    enter("d", ["s4", "c2"]),
  ]);
  expect(await soFar()).toEqual(["c waits behind 2", "a begins", "b begins", "d begins"]);
  expect(await end("b")).toEqual(["c begins"]);
  await all;
});

test("a call that waits for its own session does not block others of the channel", async () => {
  const { enter, soFar } = scene();
  const all = [enter("a", ["s1", "c1"]), enter("b", ["s1", "c1"]), enter("c", ["s2", "c1"])];
  expect(await soFar()).toEqual(["b waits behind 1", "a begins", "c begins"]);
  expect(await Promise.race(all)).toBe("a");
});

test("the limit across all channels applies, first come first served", async () => {
  const { enter, end, soFar } = scene({ ...LIMITS, inAll: 2 });
  const all = Promise.all([
    enter("a", ["s1", "c1"]),
    enter("b", ["s2", "c2"]),
    enter("c", ["s3", "c3"]),
    enter("d", ["s4", "c4"]),
  ]);
  expect(await soFar()).toEqual(["c waits behind 2", "d waits behind 3", "a begins", "b begins"]);
  expect(await end("a")).toEqual(["d waits behind 2", "c begins"]);
  expect(await end("c")).toEqual(["d begins"]);
  await all;
});

test("a call that is cancelled while waiting leaves the queue", async () => {
  const { enter, end, soFar } = scene();
  const abort = new AbortController();
  const first = enter("a", ["s1", "c1"]);
  const second = enter("b", ["s1", "c1"], abort.signal);
  const third = enter("c", ["s1", "c1"]);
  await soFar();
  abort.abort(new Error("no longer wanted"));
  await expect(second).rejects.toThrow("no longer wanted");
  expect(await soFar()).toEqual(["c waits behind 1"]);
  expect(await end("a")).toEqual(["c begins"]);
  await Promise.all([first, third]);
});
