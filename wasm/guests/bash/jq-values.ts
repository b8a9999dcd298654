/** What a filter of jq reads and writes. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Slice {
  readonly start: number | null;
  readonly end: number | null;
}

export type Step = string | number | Slice;

export type Path = readonly Step[];

const TYPES = ["null", "boolean", "number", "string", "array", "object"];

export function typeOf(value: Json): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTrue(value: Json): boolean {
  return value !== null && value !== false;
}

/** As jq orders values: by type, then by content, objects by their keys first. */
export function compare(a: Json, b: Json): number {
  if (isArray(a) && isArray(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) {
    const [keysOfA, keysOfB] = [sortedKeys(a), sortedKeys(b)];
    const valuesOf = (object: { readonly [key: string]: Json }) => keysOfA.map((key) => object[key] ?? null);
    return compareLists(keysOfA, keysOfB) || compareLists(valuesOf(a), valuesOf(b));
  }
  if (typeof a === "number" && typeof b === "number") return a < b || Number.isNaN(a) ? -1 : a === b ? 0 : 1;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return rankOf(a) - rankOf(b);
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

function sortedKeys(object: object): string[] {
  return Object.keys(object).sort(compareTexts);
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
  return path.reduce<Json>((at, step) => child(at, step), value);
}

export function child(value: Json, step: Step): Json {
  if (typeof step === "string") {
    if (value === null) return null;
    if (!isObject(value)) throw cannotIndex(value, step);
    return Object.hasOwn(value, step) ? (value[step] ?? null) : null;
  }
  if (value === null) return null;
  if (typeof step !== "number" && typeof value === "string") {
    const characters = charactersOf(value);
    return characters.slice(...boundsOf(characters.length, step)).join("");
  }
  if (!isArray(value)) throw cannotIndex(value, step);
  if (typeof step === "number") return value.at(Math.floor(step)) ?? null;
  return value.slice(...boundsOf(value.length, step));
}

/** The code points of a text. */
export function charactersOf(text: string): string[] {
  return Array.from(text);
}

/** The document with another value at a path; what is missing on the way is made. */
export function setAt(value: Json, path: Path, instead: Json): Json {
  return changed(value, path, { value: instead, owned: new WeakSet() });
}

export interface Change {
  readonly value: Json;
  /** Only these are changed in place; copies that are made on the way are added. */
  readonly owned: WeakSet<object>;
}

/** The document as `setAt` makes it, with what is owned changed in place. */
export function changed(value: Json, path: Path, change: Change): Json {
  const [step, ...rest] = path;
  if (step === undefined) return change.value;
  const { owned } = change;
  if (typeof step === "string") {
    if (value !== null && !isObject(value)) throw cannotIndex(value, step);
    return withKey(value ?? {}, step, { value: changed(child(value, step), rest, change), owned });
  }
  if (value !== null && !isArray(value)) throw cannotIndex(value, step);
  const items = ownedList(value ?? [], owned);
  if (typeof step === "number") {
    const at = step < 0 ? items.length + Math.floor(step) : Math.floor(step);
    if (at < 0) throw new Error("Out of bounds negative array index");
    if (at > MAX_INDEX) throw new Error("Array index too large");
    while (items.length < at) items.push(null);
    items[at] = changed(items[at] ?? null, rest, change);
    return items;
  }
  const [start, end] = boundsOf(items.length, step);
  const part = setAt(value === null ? null : items.slice(start, end), rest, change.value);
  if (!isArray(part)) throw new Error("A slice of an array can only be assigned another array");
  return [...items.slice(0, start), ...part, ...items.slice(Math.max(start, end))];
}

/** Elements; as many as the shell's own limit. */
const MAX_INDEX = 100_000;

function ownedList(items: readonly Json[], owned: WeakSet<object>): Json[] {
  if (isOwned(items, owned)) return items;
  const copy = [...items];
  owned.add(copy);
  return copy;
}

/** Owned lists are copies that were made above, hence writable. */
function isOwned(items: readonly Json[], owned: WeakSet<object>): items is Json[] {
  return owned.has(items);
}

function withKey(object: { readonly [key: string]: Json }, key: string, { value, owned }: Change): Json {
  const own = owned.has(object) ? object : Object.assign(Object.create(null), object);
  owned.add(own);
  return Object.defineProperty(own, key, { value, enumerable: true, writable: true, configurable: true });
}

/** The document without what is at the paths; the last are removed first, that the others stay where they are. */
export function deleteAll(value: Json, paths: readonly Path[]): Json {
  const ordered = [...paths].sort((a, b) => compare(asJson(b), asJson(a)));
  return ordered.reduce<Json>((at, path) => deleteAt(at, path), value);
}

export function asJson(path: Path): Json {
  return path.map((step) => (typeof step === "object" ? { start: step.start, end: step.end } : step));
}

function deleteAt(value: Json, [step, ...rest]: Path): Json {
  if (step === undefined || value === null) return null;
  const inner = child(value, step);
  if (rest.length > 0) return inner === null ? value : setAt(value, [step], deleteAt(inner, rest));
  if (typeof step === "string") {
    const { [step]: _, ...others } = isObject(value) ? value : {};
    return others;
  }
  if (!isArray(value)) throw cannotIndex(value, step);
  if (typeof step !== "number") {
    const [start, end] = boundsOf(value.length, step);
    return [...value.slice(0, start), ...value.slice(Math.max(start, end))];
  }
  const at = step < 0 ? value.length + Math.floor(step) : Math.floor(step);
  return value.filter((_, index) => index !== at);
}

function boundsOf(length: number, { start, end }: Slice): [start: number, end: number] {
  const within = (at: number) => Math.min(Math.max(at < 0 ? length + at : at, 0), length);
  return [within(Math.floor(start ?? 0)), within(Math.ceil(end ?? length))];
}

function cannotIndex(value: Json, step: Step): Error {
  const by = typeof step === "string" ? `"${step}"` : typeof step;
  return new Error(`Cannot index ${typeOf(value)} with ${by}`);
}
