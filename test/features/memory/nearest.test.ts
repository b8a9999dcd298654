import { expect, test } from "vitest";
import { createNearest } from "../../../src/features/memory/meaning/nearest.ts";
import { signBytes, signsOf } from "../../../src/features/memory/meaning/vectors.ts";

const DIMENSIONS = 64;
const ALL = "xall";

/** A vector with `number` positive signs, so that two vectors differ in as many signs as their numbers do. */
const vector = (number: number) => Float32Array.from({ length: DIMENSIONS }, (_, index) => (index < number ? 1 : -1));

function nearestWith(all: readonly (readonly [seq: number, number: number, audience?: string])[]) {
  const nearest = createNearest();
  nearest.begin(signBytes(DIMENSIONS));
  for (const [seq, number, audience = ALL] of all) nearest.add(seq, [audience], signsOf(vector(number)));
  return nearest;
}

const range = Array.from({ length: 40 }, (_, index) => index);

test("finds the nearest vectors first, as many as requested", () => {
  const nearest = nearestWith(range.map((number) => [number, number]));
  expect(nearest.find(vector(30), [ALL], 3).seqs).toEqual([30, 31, 29]);
});

test("finds only vectors that the reader may read", () => {
  const nearest = nearestWith([
    [1, 10, "xours"],
    [2, 11, "xtheirs"],
    [3, 12, ALL],
  ]);
  expect(nearest.find(vector(10), ["xours", ALL], 5).seqs).toEqual([1, 3]);
  expect(nearest.find(vector(10), ["xnobody"], 5).seqs).toEqual([]);
});

test("adding a vector again replaces its value and its readers", () => {
  const nearest = nearestWith(range.map((number) => [number, number]));
  nearest.add(5, [ALL], signsOf(vector(60)));
  nearest.add(6, ["xours"], signsOf(vector(60)));
  expect(nearest.find(vector(5), [ALL], 2).seqs).toEqual([4, 7]);
  expect(nearest.find(vector(60), [ALL, "xours"], 3).seqs).toEqual([6, 5, 39]);
  expect(nearest.find(vector(60), ["xours"], 3).seqs).toEqual([6]);
});

test("a removed vector is no longer found, and the others are unchanged", () => {
  const nearest = nearestWith(range.map((number) => [number, number]));
  for (const seq of [0, 39, 20, 20, 99]) nearest.remove(seq);
  const left = range.filter((seq) => ![0, 39, 20].includes(seq));
  expect(left.map((seq) => nearest.find(vector(seq), [ALL], 1).seqs)).toEqual(left.map((seq) => [seq]));
  expect(nearest.find(vector(20), [ALL], 50).seqs).toHaveLength(left.length);
  nearest.add(20, [ALL], signsOf(vector(20)));
  expect(nearest.find(vector(20), [ALL], 1).seqs).toEqual([20]);
});
