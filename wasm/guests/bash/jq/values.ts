/** What a filter reads and writes. A number with more digits than JavaScript's hold is kept whole: a bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

/** Keys stand as they were written, whatever they are called. */
export type JsonObject = ReadonlyMap<string, Json>;

/** Texts, numbers, and objects with `start` and `end` for parts of arrays. */
export type Path = readonly Json[];

/** What `try` catches. */
export class JqError extends Error {
  override readonly name = "JqError";
  readonly value: Json;

  constructor(value: Json) {
    super(typeof value === "string" ? value : "not a text");
    this.value = value;
  }
}

const TYPES = ["null", "boolean", "number", "string", "array", "object"];

export function typeOf(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "object") return isArray(value) ? "array" : "object";
  return typeof value === "bigint" ? "number" : typeof value;
}

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json): value is JsonObject {
  return value instanceof Map;
}

export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function isTrue(value: Json): boolean {
  return value !== null && value !== false;
}

/** As jq orders values: by type, then by content, objects by their keys first. */
export function compare(a: Json, b: Json): number {
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
  if (isNumber(a) && isNumber(b)) return compareNumbers(Number(a), Number(b));
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (isArray(a) && isArray(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) {
    const [keysOfA, keysOfB] = [sortedKeys(a), sortedKeys(b)];
    const valuesOf = (object: JsonObject) => keysOfA.map((key) => object.get(key) ?? null);
    return compareLists(keysOfA, keysOfB) || compareLists(valuesOf(a), valuesOf(b));
  }
  return rankOf(a) - rankOf(b);
}

/** What is no number comes first. */
function compareNumbers(a: number, b: number): number {
  return Number.isNaN(a) || a < b ? -1 : a > b || Number.isNaN(b) ? 1 : 0;
}

function rankOf(value: Json): number {
  return TYPES.indexOf(typeOf(value)) + (value === true ? 0.5 : 0);
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  for (const [at, one] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    const order = compare(one, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export function sortedKeys(object: JsonObject): string[] {
  return [...object.keys()].sort(compareTexts);
}

/** By code points, not by UTF-16 units. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const unit = (text: string) => rankOfUnit(text.charCodeAt(at));
  return at >= a.length ? -1 : at >= b.length ? 1 : unit(a) - unit(b);
}

/** A half of a pair stands for a code point above all that are one unit. */
function rankOfUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function getAt(value: Json, path: Path): Json {
  return path.reduce<Json>((at, step) => (at === null ? null : child(at, step)), value);
}

export function child(value: Json, step: Json): Json {
  if (isObject(value) && typeof step === "string") return value.get(step) ?? null;
  if (isArray(value) && isNumber(step)) return value[indexOf(value, step)] ?? null;
  if (isObject(step) && (value === null || isArray(value)))
    return value && value.slice(...boundsOf(value.length, step));
  if (isObject(step) && typeof value === "string") {
    const characters = charactersOf(value);
    return characters.slice(...boundsOf(characters.length, step)).join("");
  }
  if (value === null && (typeof step === "string" || isNumber(step))) return null;
  if (isArray(value) && isArray(step)) return indicesOf(value, step);
  throw cannotIndex(value, step);
}

/** Negative before the first. */
function indexOf(items: readonly Json[], step: number | bigint): number {
  return Math.floor(Number(step)) + (step < 0 ? items.length : 0);
}

/** Where a list stands within another. */
export function indicesOf(value: readonly Json[], part: readonly Json[]): Json {
  if (part.length === 0) return null;
  return [...value.keys()].filter((at) => part.every((one, index) => isAt(value[at + index], one)));
}

function isAt(found: Json | undefined, wanted: Json): boolean {
  return found !== undefined && compare(found, wanted) === 0;
}

/** The code points of a text. */
export function charactersOf(text: string): string[] {
  return Array.from(text);
}

/** Returns the document with a value replaced at a path, creating missing parts of the path. */
export function setAt(value: Json, path: Path, instead: Json): Json {
  return changed(value, path, { value: instead, owned: new WeakSet() });
}

export interface Change {
  readonly value: Json;
  /** Objects that may be changed in place; copies made on the way are added. */
  readonly owned: WeakSet<object>;
}

/** Like `setAt`, but changes owned objects in place. */
export function changed(value: Json, [step, ...rest]: Path, change: Change): Json {
  if (step === undefined) return change.value;
  const { owned } = change;
  if (typeof step === "string" && (value === null || isObject(value))) {
    const object = ownedObject(value, owned);
    return object.set(step, changed(object.get(step) ?? null, rest, change));
  }
  if (isNumber(step) && (value === null || isArray(value))) {
    const items = ownedList(value ?? [], owned);
    const at = indexOf(items, step);
    if (Number.isNaN(at)) throw new JqError("Cannot set array element at NaN index");
    if (at < 0) throw new JqError("Out of bounds negative array index");
    if (at > MAX_INDEX) throw new JqError("Array index too large");
    while (items.length < at) items.push(null);
    items[at] = changed(items[at] ?? null, rest, change);
    return items;
  }
  if (!isObject(step) || (value !== null && !isArray(value))) throw cannotIndex(value, step);
  const items = value ?? [];
  const [start, end] = boundsOf(items.length, step);
  const part = setAt(value === null ? null : items.slice(start, end), rest, change.value);
  if (!isArray(part)) throw new JqError("A slice of an array can only be assigned another array");
  return [...items.slice(0, start), ...part, ...items.slice(Math.max(start, end))];
}

/** Highest array index that may be assigned. */
const MAX_INDEX = 1_000_000;

function ownedList(items: readonly Json[], owned: WeakSet<object>): Json[] {
  if (isOwned(items, owned)) return items;
  const copy = [...items];
  owned.add(copy);
  return copy;
}

function ownedObject(object: JsonObject | null, owned: WeakSet<object>): Map<string, Json> {
  if (object instanceof Map && owned.has(object)) return object;
  const copy = new Map(object);
  owned.add(copy);
  return copy;
}

/** Whether a list is an owned copy and may be changed. */
function isOwned(items: readonly Json[], owned: WeakSet<object>): items is Json[] {
  return owned.has(items);
}

/** Returns the document without the values at the paths, removing the last first so that other indices stay valid. */
export function deleteAll(value: Json, paths: readonly Path[]): Json {
  const exact = paths.flatMap((path) => exactly(value, path));
  return exact.sort((a, b) => compare(b, a)).reduce<Json>(deleteAt, value);
}

/** Resolves a path with slices or negative indices to paths with indices from the start. */
function exactly(value: Json, [step, ...rest]: Path): Path[] {
  if (step === undefined) return [[]];
  if (value === null) return [];
  if (isArray(value) && isObject(step)) {
    const [start, end] = boundsOf(value.length, step);
    const within =
      rest.length === 0 ? value.slice(start, end).map((_, at) => [at]) : exactly(value.slice(start, end), rest);
    return within.map(([at = null, ...others]) => [Number(at) + start, ...others]);
  }
  const exact = isArray(value) && isNumber(step) ? indexOf(value, step) : step;
  return exactly(child(value, step), rest).map((others) => [exact, ...others]);
}

function deleteAt(value: Json, [step, ...rest]: Path): Json {
  if (step === undefined || value === null) return null;
  if (rest.length > 0) {
    const inner = child(value, step);
    return inner === null ? value : setAt(value, [step], deleteAt(inner, rest));
  }
  if (isArray(value) && isNumber(step)) return value.filter((_, at) => at !== step);
  if (!isObject(value) || typeof step !== "string")
    throw new JqError(`Cannot delete ${named(step)} of ${typeOf(value)}`);
  const others = new Map(value);
  others.delete(step);
  return others;
}

function boundsOf(length: number, slice: JsonObject): [start: number, end: number] {
  const bound = (name: string, otherwise: number) => {
    const at = slice.get(name);
    if (isNumber(at)) return Number.isNaN(at) ? otherwise : Number(at);
    if (at !== null) throw new JqError("Start and end indices of an array slice must be numbers");
    return otherwise;
  };
  const within = (at: number) => Math.min(Math.max(at < 0 ? length + at : at, 0), length);
  return [within(Math.floor(bound("start", 0))), within(Math.ceil(bound("end", length)))];
}

function cannotIndex(value: Json, step: Json): JqError {
  return new JqError(`Cannot index ${typeOf(value)} with ${named(step)}`);
}

function named(step: Json): string {
  return typeof step === "string" ? `"${step}"` : typeOf(step);
}
