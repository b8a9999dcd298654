import { fromJson, isObject } from "../../core/text/from-json.ts";

/** Values that are looked for, and characters among which they are: more would hold up everybody. */
const MOST_VALUES = 500;
const MOST_CHARS = 100_000;

/**
 * Whether a result's texts say what its structured content does, in whatever form. They ought to be it as JSON; many servers
 * write it out for people instead, and some only how much there is. Half of its words and figures tell these apart.
 */
export function isSaid(structured: unknown, texts: readonly string[]): boolean {
  if (structured === undefined || structured === null) return true;
  const given = texts.filter((text) => text.trim() !== "");
  if (given.length === 0) return false;
  // As they stand within JSON, whether the server has written it or a text.
  const said = [given, given.map(fromJson)].map((all) => JSON.stringify(all).slice(0, MOST_CHARS)).join();
  const values = valuesIn(structured);
  return values.filter((value) => !said.includes(value)).length * 2 < Math.max(values.length, 1);
}

/** Texts, and numbers. */
function valuesIn(structured: unknown): readonly string[] {
  const values: string[] = [];
  const found = [structured];
  for (const value of found) {
    if (values.length === MOST_VALUES) break;
    if (Array.isArray(value) || isObject(value)) found.push(...Object.values(value).slice(0, MOST_VALUES));
    else if (typeof value === "string" && value !== "") values.push(JSON.stringify(value).slice(1, -1));
    else if (typeof value === "number") values.push(String(value));
  }
  return values;
}
