import { charactersOf, type Json } from "./jq-values.ts";

/** The shell's regular expressions; RE2's. */
export type Compile = (pattern: string, flags: string) => { readonly _re2: Re2 };

interface Re2 {
  groupCount(): number;
  namedGroups(): Readonly<Record<string, number>>;
  matcher(text: string): {
    find(at: number): boolean;
    start(group: number): number;
    end(group: number): number;
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string | null;
}

/** A match: itself, then its groups; null for those that took no part. */
export type Match = readonly [Span, ...(Span | null)[]];

/** The flags of jq that RE2 knows as well. */
const FLAGS = /^[ginsp]*$/;

export interface Regex {
  readonly pattern: string;
  readonly flags: string;
}

export function matchesIn(compile: Compile, text: string, { pattern, flags }: Regex): Match[] {
  if (!FLAGS.test(flags)) throw new Error(`${flags} is not a string of flags this jq knows (g, i, n, s, p)`);
  const { _re2: re2 } = compile(pattern, `${flags.includes("i") ? "i" : ""}${flags.includes("p") ? "s" : ""}`);
  const names = new Map(Object.entries(re2.namedGroups()).map(([name, group]) => [group, name]));
  const matcher = re2.matcher(text);
  const matches: Match[] = [];
  for (let at = 0; at <= text.length && matcher.find(at); ) {
    const span = (group: number): Span => ({
      start: matcher.start(group),
      end: matcher.end(group),
      name: names.get(group) ?? null,
    });
    const whole = span(0);
    const groups = Array.from({ length: re2.groupCount() }, (_, index) => span(index + 1));
    const isEmpty = whole.end === whole.start;
    if (!isEmpty || !flags.includes("n")) matches.push([whole, ...groups]);
    if (matches.length > 0 && !flags.includes("g")) break;
    at = isEmpty ? whole.end + 1 : whole.end;
  }
  return matches;
}

export function textOf(text: string, span: Span | null): string | null {
  return span === null || span.start < 0 ? null : text.slice(span.start, span.end);
}

/** As `match` tells of it, in code points. */
export function told(text: string, [whole, ...groups]: Match): Json {
  const place = (span: Span) => ({
    offset: span.start < 0 ? -1 : charactersOf(text.slice(0, span.start)).length,
    length: charactersOf(textOf(text, span) ?? "").length,
    string: textOf(text, span),
  });
  const captures = groups.filter((span) => span !== null).map((span) => ({ ...place(span), name: span.name }));
  return { ...place(whole), captures };
}

/** The named groups. */
export function captured(text: string, [, ...groups]: Match): Json {
  const named = groups.flatMap((span) =>
    span === null || span.name === null ? [] : [[span.name, textOf(text, span)]],
  );
  return Object.fromEntries(named);
}
