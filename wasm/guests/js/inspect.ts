const DEPTH = 6;
const ENTRIES = 200;

/** Formats a value as in JavaScript source, abbreviated if it is deep or long. */
export function inspect(value: unknown): string {
  return typeof value === "string" ? value : show(value, 0, []);
}

function show(value: unknown, depth: number, parents: readonly object[]): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[Function${value.name === "" ? "" : ` ${value.name}`}]`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return String(value);
  if (value instanceof Date || value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "[Promise]";
  if (parents.includes(value)) return "[Circular]";
  if (depth >= DEPTH) return Array.isArray(value) ? "[…]" : "{…}";
  const inner = (child: unknown): string => show(child, depth + 1, [...parents, value]);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return `[${listed(Object.values(value), inner)}]`;
  if (value instanceof Set) return `Set {${listed([...value], inner)}}`;
  if (value instanceof Map) return `Map {${listed([...value], ([key, item]) => `${inner(key)} => ${inner(item)}`)}}`;
  return `{${listed(Object.entries(value), ([key, item]) => `${keyOf(key)}: ${inner(item)}`)}}`;
}

function listed<T>(items: readonly T[], one: (item: T) => string): string {
  const shown = items.slice(0, ENTRIES).map(one);
  if (items.length > ENTRIES) shown.push(`… ${items.length - ENTRIES} more`);
  return shown.join(", ");
}

function keyOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
