/** What just-bash's jq does otherwise than jq, anew; wasm/build.ts has its evaluator call this. */
import { type Filter, scopesOf, stepOf, type Within } from "./jq-paths.ts";
import { type Compile, captured, type Match, matchesIn, textOf, told } from "./jq-regex.ts";
import { pathsOf } from "./jq-updates.ts";
import {
  asJson,
  compare,
  deleteAll,
  getAt,
  isArray,
  isObject,
  type Json,
  type Path,
  setAt,
  typeOf,
} from "./jq-values.ts";

export { updated } from "./jq-updates.ts";
export { compare } from "./jq-values.ts";

export interface Call {
  readonly input: Json;
  readonly name: string;
  readonly args: readonly Filter[];
}

/** A call's results; null for a function that just-bash does rightly. */
export function called(within: Within, call: Call): readonly Json[] | null {
  const { evaluate, scope } = within;
  const { input, name, args } = call;
  const own = scope.funcs?.get(`${name}/${args.length}`);
  if (own !== undefined) return scopesOf(within, own, call).flatMap((seen) => evaluate(input, own.body, seen));
  const [first, second] = args;
  if (first === undefined) return name === "unique" ? [unique(listOf(input))] : null;
  const values = (filter: Filter, of = input) => evaluate(of, filter, scope);
  switch (`${name}/${args.length}`) {
    case "path/1":
      return pathsOf(within, input, first).map(asJson);
    case "del/1":
      return [deleteAll(input, pathsOf(within, input, first))];
    case "delpaths/1":
      return values(first).map((paths) => deleteAll(input, listOf(paths).map(pathOf)));
    case "setpath/2":
      if (second === undefined) return null;
      return values(first).flatMap((path) => values(second).map((value) => setAt(input, pathOf(path), value)));
    case "pick/1":
      return [pathsOf(within, input, first).reduce<Json>((at, path) => setAt(at, path, getAt(input, path)), null)];
    case "map/1":
      return isObject(input) ? [[...each(Object.values(input), (item) => values(first, item))]] : null;
    case "walk/1":
      return walked(input, (value) => values(first, value));
    case "group_by/1":
      return [grouped(listOf(input), (item) => values(first, item))];
    case "unique_by/1":
      return [grouped(listOf(input), (item) => values(first, item)).map(([item]) => item ?? null)];
    default:
      return null;
  }
}

function* each(items: readonly Json[], change: (value: Json) => readonly Json[]): Generator<Json> {
  for (const item of items) yield* change(item);
}

function walked(value: Json, change: (value: Json) => readonly Json[]): readonly Json[] {
  const inner = (item: Json) => walked(item, change);
  if (isArray(value)) return change([...each(value, inner)]);
  if (!isObject(value)) return change(value);
  const object: { [key: string]: Json } = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    const [first] = inner(item);
    if (first !== undefined) object[key] = first;
  }
  return change(object);
}

function unique(items: readonly Json[]): Json[] {
  return grouped(items, (item) => [item]).map(([item]) => item ?? null);
}

function grouped(items: readonly Json[], keysOf: (item: Json) => readonly Json[]): Json[][] {
  const keyed = items.map((item) => ({ item, key: keysOf(item) })).sort((a, b) => compare(a.key, b.key));
  const groups: { key: readonly Json[]; items: Json[] }[] = [];
  for (const { item, key } of keyed) {
    const last = groups.at(-1);
    if (last !== undefined && compare(last.key, key) === 0) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups.map((group) => group.items);
}

function listOf(value: Json): readonly Json[] {
  if (!isArray(value)) throw new Error(`${typeOf(value)} is not an array`);
  return value;
}

function pathOf(value: Json): Path {
  if (!isArray(value)) throw new Error("Path must be specified as an array");
  return value.map(stepOf);
}

const REGEX = new Set("test match capture scan split splits sub gsub".split(" "));

/** A call's results where the function takes a regular expression; null for others. */
export function matched({ evaluate, scope }: Within, compile: Compile, call: Call): readonly Json[] | null {
  const { input, name, args } = call;
  if (!REGEX.has(name) || (name === "split" && args.length === 1)) return null;
  if (typeof input !== "string")
    throw new Error(`${typeOf(input)} (${JSON.stringify(input)}) cannot be matched, as it is not a string`);
  const isReplacing = name.endsWith("sub");
  const [pattern, ...others] = args;
  const [replacement, flags] = isReplacing ? others : [undefined, ...others];
  if (pattern === undefined || (isReplacing && replacement === undefined)) return null;
  return evaluate(input, pattern, scope).flatMap((re) =>
    (flags === undefined ? [null] : evaluate(input, flags, scope)).flatMap((given) => {
      const [source, options] = isArray(re) ? [re[0] ?? null, re[1] ?? null] : [re, given];
      if (typeof source !== "string" || (options !== null && typeof options !== "string"))
        throw new Error(`${JSON.stringify(re)} cannot be matched, as it is not a string`);
      const isGlobal = name === "scan" || name === "gsub" || name.startsWith("split");
      const matches = matchesIn(compile, input, { pattern: source, flags: `${options ?? ""}${isGlobal ? "g" : ""}` });
      if (replacement === undefined) return resultsOf(name, input, matches);
      return replaced(input, matches, (groups) => evaluate(groups, replacement, scope));
    }),
  );
}

function resultsOf(name: string, text: string, matches: readonly Match[]): Json[] {
  switch (name) {
    case "test":
      return [matches.length > 0];
    case "match":
      return matches.map((match) => told(text, match));
    case "capture":
      return matches.map((match) => captured(text, match));
    case "scan":
      return matches.map(([whole, ...groups]) =>
        groups.length === 0 ? textOf(text, whole) : groups.map((group) => textOf(text, group)),
      );
    default: {
      const starts = [0, ...matches.map(([{ end }]) => end)];
      const parts = starts.map((start, at) => text.slice(start, matches[at]?.[0].start));
      return name === "split" ? [parts] : parts;
    }
  }
}

function replaced(text: string, matches: readonly Match[], replacementOf: (groups: Json) => readonly Json[]): Json[] {
  let output = "";
  let end = 0;
  for (const match of matches) {
    const [first] = replacementOf(captured(text, match));
    if (first === undefined) return [];
    if (typeof first !== "string") throw new Error(`${typeOf(first)} cannot be added to a string`);
    output += text.slice(end, match[0].start) + first;
    end = match[0].end;
  }
  return [output + text.slice(end)];
}

export function quoted(value: Json): string {
  const one = (item: Json) => {
    if (typeof item === "object" && item !== null) throw new Error(`${typeOf(item)} can not be escaped for shell`);
    return typeof item === "string" ? `'${item.replaceAll("'", "'\\''")}'` : String(item);
  };
  return isArray(value) ? value.map(one).join(" ") : one(value);
}

/** For operands that an operator does not take. */
export function cannot(operator: string, left: Json, right: Json): never {
  const done = { "+": "added", "-": "subtracted", "*": "multiplied", "/": "divided", "%": "divided" }[operator];
  const [a, b] = [left, right].map((value) => `${typeOf(value)} (${JSON.stringify(value)})`);
  throw new Error(`${a} and ${b} cannot be ${done}`);
}
