import { codeSpans } from "./skill-code-spans.ts";
import type { Skill, SkillArg } from "./skills.ts";

/** What follows a skill's name: the words as a shell would part them, and the text as it was typed. */
export interface GivenArguments {
  /** `value`, or `name=value` for an argument that the skill declares. */
  readonly values: readonly string[];
  readonly raw: string;
}

export interface BoundArguments {
  /** Values of declared arguments by name; absent: not given. */
  readonly named: ReadonlyMap<string, string>;
  /** What `$1`, `$2` … stand for; of a skill that declares arguments, their values in that order. */
  readonly positional: readonly string[];
  readonly missing: readonly SkillArg[];
}

/**
 * Values with a declared name go to it, the others to what is left, in order; the last takes all that remain, so that
 * `current-weather San Francisco` needs no quotes. An empty value counts as not given.
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

/** `\$1` is a `$1` that stays; `{{name}}`; `$ARGUMENTS`; `$1`. */
const PLACEHOLDER = /\\(\$(?:ARGUMENTS\b|\d))|\{\{\s*([A-Za-z][\w-]*)\s*\}\}|\$(ARGUMENTS\b|[1-9]\d?(?!\d))/g;
/** What the expression captures, and where it matched. */
type Captures = [escaped: string | undefined, name: string | undefined, sign: string | undefined, at: number];

/** Characters that values add in all: a body that says `$1` ten thousand times makes no message of gigabytes. */
const MAX_ADDED = 100_000;
const LEFT_OUT = "[…]";

/**
 * The body with its placeholders filled, in one pass: a value is text, whatever it looks like. What is no placeholder
 * of this skill stays: a template's `{{user}}`, and awk's `$1` in the code of a skill that declares no arguments.
 * Arguments that no placeholder takes follow the body.
 */
export function fillPlaceholders({ body, args }: Skill, given: GivenArguments): string {
  const { named, positional } = bindArguments(args, given);
  const code = args.length === 0 ? codeSpans(body) : [];
  const valueOf = (...[name, sign, at]: [string | undefined, string | undefined, number]): string | undefined => {
    if (name !== undefined) return args.some((arg) => arg.name === name) ? (named.get(name) ?? "") : undefined;
    if (sign === "ARGUMENTS") return given.raw;
    if (code.some(({ from, to }) => at >= from && at < to)) return undefined;
    return positional[Number(sign) - 1];
  };
  let taken = false;
  let added = 0;
  const filled = body.replace(PLACEHOLDER, (whole: string, ...[escaped, name, sign, at]: Captures) => {
    if (escaped !== undefined) return escaped;
    const value = valueOf(name, sign, at);
    if (value === undefined) return whole;
    // The first is as long as whoever gave it wanted it.
    const isTooMuch = taken && added + value.length > MAX_ADDED;
    taken = true;
    added += isTooMuch ? 0 : value.length;
    return isTooMuch ? LEFT_OUT : value;
  });
  return taken || given.raw.trim() === "" ? filled : `${filled}\n\nArguments: ${given.raw}`;
}
