import { expect, test } from "vitest";
import { KeyedMutex } from "../../src/core/keyed-mutex.ts";

test("tasks of one key run serially, tasks of different keys concurrently, and idle waits for all", async () => {
  const mutex = new KeyedMutex();
  const order: string[] = [];
  const gate = Promise.withResolvers<undefined>();
  const first = mutex.run("a", async () => {
    await gate.promise;
    order.push("a1");
  });
  const second = mutex.run("a", () => Promise.resolve(order.push("a2")));
  await mutex.run("b", () => Promise.resolve(order.push("b1")));
  gate.resolve(undefined);
  await mutex.idle();
  expect(order).toEqual(["b1", "a1", "a2"]);
  await Promise.all([first, second]);
});

test("a failed task rejects only for its caller", async () => {
  const mutex = new KeyedMutex();
  const failed = mutex.run("a", () => Promise.reject(new Error("no")));
  const next = mutex.run("a", () => Promise.resolve("yes"));
  await expect(failed).rejects.toThrow("no");
  await expect(next).resolves.toBe("yes");
});
