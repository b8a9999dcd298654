import { codeSpans } from "./skill-code-spans.ts";
import type { Skill, SkillArg } from "./skills.ts";

/** The text after a skill's name, both split like a shell would and as typed. */
export interface GivenArguments {
  /** `value`, or `name=value` for an argument that the skill declares. */
  readonly values: readonly string[];
  readonly raw: string;
}

export interface BoundArguments {
  /** Values of declared arguments by name; absent if not given. */
  readonly named: ReadonlyMap<string, string>;
  /** The values of `$1`, `$2` and so on. If a skill declares arguments, these are their values in that order. */
  readonly positional: readonly string[];
  readonly missing: readonly SkillArg[];
}

/**
 * Binds values to arguments: named values first, then the others to the remaining arguments in order. The last argument
 * takes all remaining words, so that `current-weather San Francisco` needs no quotes. An empty value counts as missing.
 */
export function bindArguments(args: readonly SkillArg[], { values }: GivenArguments): BoundArguments {
  const named = new Map<string, string>();
  const loose: string[] = [];
  for (const value of values) {
    const [, name, rest] = /^([A-Za-z][\w-]*)=(.*)$/s.exec(value) ?? [];
    const declared = name !== undefined && args.some((arg) => arg.name === name);
    if (declared && rest !== undefined) named.set(name, rest);
    else loose.push(value);
  }
  const open = args.filter(({ name }) => !named.has(name));
  open.forEach(({ name }, index) => {
    const own = index === open.length - 1 ? loose.slice(index) : loose.slice(index, index + 1);
    if (own.length > 0) named.set(name, own.join(" "));
  });
  const valueOf = ({ name }: SkillArg) => named.get(name) ?? "";
  return {
    named,
    positional: args.length === 0 ? loose : args.map(valueOf),
    missing: args.filter((arg) => arg.required && valueOf(arg).trim() === ""),
  };
}

/**
 * Matches `\$1`, which stays as `$1`; `{{name}}`; `$ARGUMENTS`; `$ARGUMENTS[0]`, which counts from 0; `$1`; and
 * `$name`. Prices such as `$1.00`, `$5k`, `$10/month` and `$2 per hour` do not match.
 */
const PLACEHOLDER =
  /\\(\$(?:ARGUMENTS\b|\d))|\{\{\s*([A-Za-z][\w-]*)\s*\}\}|\$(ARGUMENTS\b(?:\[\d{1,2}\])?|[1-9]\d?(?![.,]?\d|[A-Za-z_%]|\/(?:mo|month|h|hr|hour|day|week|yr|year|user|seat)\b| per\b)|[A-Za-z][\w-]*)/g;
/** The groups that the expression captures, and the position of the match. */
type Captures = [escaped: string | undefined, name: string | undefined, sign: string | undefined, at: number];

/**
 * Maximum number of characters that values add in total, so that a body with ten thousand `$1` does not grow to
 * gigabytes.
 */
const MAX_ADDED = 100_000;
const LEFT_OUT = "[…]";

/**
 * Fills a body's placeholders in one pass, so that values are never interpreted. Text that is no placeholder of this
 * skill stays: a template's `{{user}}`, awk's `$1`, and any `$1` of a skill that neither declares arguments nor uses
 * `$ARGUMENTS`. The arguments are appended unless the placeholders have used all of them.
 */
export function fillPlaceholders(skill: Skill, given: GivenArguments): string {
  const { body } = skill;
  const places = placesOf(skill, given);
  const open = new Set(places.values.keys());
  let isWhole = false;
  let added = 0;
  const filled = body.replace(PLACEHOLDER, (whole: string, ...[escaped, name, sign, at]: Captures) => {
    if (escaped !== undefined) return escaped;
    const taken = name === undefined ? places.bySign(sign ?? "", at) : places.byName(name);
    if (taken === null) return whole;
    const value = taken === "all" ? given.raw : (places.values[taken] ?? "");
    // The first value is always filled in, whatever its length.
    const isTooMuch = added > 0 && added + value.length > MAX_ADDED;
    if (isTooMuch) return LEFT_OUT;
    if (taken === "all") isWhole = true;
    else open.delete(taken);
    added += value.length;
    return value;
  });
  const isLeft = [...open].some((index) => places.values[index] !== "");
  return isWhole || !isLeft || given.raw.trim() === "" ? filled : `${filled}\n\nArguments: ${given.raw}`;
}

/** What a placeholder stands for: the index of a value, all of the text, or null if it is not a placeholder. */
type TakenArgument = number | "all" | null;

function placesOf({ body, args, argumentHint }: Skill, given: GivenArguments) {
  const { positional: values } = bindArguments(args, given);
  const isDeclared = args.length > 0 || argumentHint !== null;
  const isNumbered = isDeclared || /\$ARGUMENTS\b/.test(body);
  const code = isDeclared ? [] : codeSpans(body);
  const byName = (name: string): TakenArgument => {
    const index = args.findIndex((arg) => arg.name === name);
    return index < 0 ? null : index;
  };
  const bySign = (sign: string, at: number): TakenArgument => {
    if (sign === "ARGUMENTS") return "all";
    const [, bracketed] = /^ARGUMENTS\[(\d+)\]$/.exec(sign) ?? [];
    if (bracketed === undefined && !/^\d/.test(sign)) return byName(sign);
    const isCode = code.some(({ from, to }) => at >= from && at < to) || isWithinAwk(body, at);
    if (bracketed === undefined && (!isNumbered || isCode)) return null;
    const index = bracketed === undefined ? Number(sign) - 1 : Number(bracketed);
    return index < values.length ? index : null;
  };
  return { values, byName, bySign };
}

/** Number of characters before a `$1` that are searched for an awk call. */
const NEAR = 200;

/** Whether a `$1` belongs to awk, which is called earlier on the line. */
function isWithinAwk(body: string, at: number): boolean {
  const before = body.slice(Math.max(0, at - NEAR), at);
  return /\b[gm]?awk\b/.test(before.slice(before.lastIndexOf("\n") + 1));
}
