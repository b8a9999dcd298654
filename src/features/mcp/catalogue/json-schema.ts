export type JsonObject = Readonly<Record<string, unknown>>;

/** Characters as JSON. Schemas of known servers stay below half of it. */
const MAX_SCHEMA_CHARS = 32_000;
const MAX_DEPTH = 32;

/** Why no model can be told the schema; null when it is fine. */
export function schemaProblem(raw: JsonObject): string | null {
  if (deeperThan(MAX_DEPTH, raw)) return `is nested deeper than ${MAX_DEPTH} levels`;
  const size = JSON.stringify(raw).length;
  if (size > MAX_SCHEMA_CHARS) return `has ${size} characters, more than ${MAX_SCHEMA_CHARS}`;
  return [raw.type ?? "object"].flat().includes("object") ? null : "does not describe an object";
}

/** Looks no further than it must, so that a deep value cannot exhaust the stack. */
function deeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => deeperThan(levels - 1, part));
}
