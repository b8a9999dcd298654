import { fromJson, isObject } from "../../core/text/from-json.ts";

/** Maximum number of values searched for, and of characters searched; more would block the process. */
const MAX_VALUES = 500;
const MAX_CHARS = 100_000;

/**
 * Whether a result's texts already say what its structured content does. The texts should be its JSON, but many servers
 * write prose instead, and some give only a count. Finding more than half of the values in the texts counts as a yes.
 */
export function textsCover(structured: unknown, texts: readonly string[]): boolean {
  if (structured === undefined || structured === null) return true;
  const given = texts.filter((text) => text.trim() !== "");
  if (given.length === 0) return false;
  // Compares in JSON-escaped form, whether the server wrote JSON or plain text.
  const said = [given, given.map(fromJson)].map((all) => JSON.stringify(all).slice(0, MAX_CHARS)).join();
  const values = valuesIn(structured);
  return values.filter((value) => !said.includes(value)).length * 2 < Math.max(values.length, 1);
}

/** The strings and numbers of a value, as they appear within JSON. */
function valuesIn(structured: unknown): readonly string[] {
  const values: string[] = [];
  const found = [structured];
  for (const value of found) {
    if (values.length === MAX_VALUES) break;
    if (Array.isArray(value) || isObject(value)) found.push(...Object.values(value).slice(0, MAX_VALUES));
    else if (typeof value === "string" && value !== "") values.push(JSON.stringify(value).slice(1, -1));
    else if (typeof value === "number") values.push(String(value));
  }
  return values;
}
