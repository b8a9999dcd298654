import { expect, test } from "vitest";
import { serialResolve } from "../../../src/tools/network/resolve.ts";

type Answer = PromiseWithResolvers<readonly string[]>;

/** A resolver whose look-ups end when the test resolves them. */
function manual() {
  const asked: string[] = [];
  const answers: Record<string, Answer> = {};
  const of = (name: string): Answer => (answers[name] ??= Promise.withResolvers());
  const resolve = serialResolve((name) => {
    asked.push(name);
    return of(name).promise;
  });
  return { asked, of, resolve: (name: string, signal = new AbortController().signal) => resolve(name, signal) };
}

test("names are resolved one after the other, also after one that does not exist", async () => {
  const { asked, of, resolve } = manual();
  const [first, second] = [resolve("a.example"), resolve("b.example")];
  await expect.poll(() => asked).toEqual(["a.example"]);
  of("b.example").resolve(["192.0.2.2"]);
  of("a.example").reject(new Error("ENOTFOUND"));
  await expect(first).rejects.toThrow("ENOTFOUND");
  expect(await second).toEqual(["192.0.2.2"]);
  expect(asked).toEqual(["a.example", "b.example"]);
});

test("concurrent look-ups of a name share one answer; later ones get a new one", async () => {
  const { asked, of, resolve } = manual();
  const together = Promise.all([resolve("a.example"), resolve("a.example")]);
  of("a.example").resolve(["192.0.2.1"]);
  expect(await together).toEqual([["192.0.2.1"], ["192.0.2.1"]]);
  expect(asked).toEqual(["a.example"]);
  expect(await resolve("a.example")).toEqual(["192.0.2.1"]);
  expect(asked).toEqual(["a.example", "a.example"]);
});

test("a queued look-up without any waiting caller is skipped", async () => {
  const { asked, of, resolve } = manual();
  const stop = new AbortController();
  const silent = resolve("silent.example");
  const left = resolve("left.example", stop.signal);
  const shared = Promise.all([resolve("shared.example", stop.signal), resolve("shared.example")]);
  stop.abort();
  for (const name of ["silent.example", "shared.example"]) of(name).resolve([]);
  await Promise.all([silent, left, shared]);
  expect(asked).toEqual(["silent.example", "shared.example"]);
});
