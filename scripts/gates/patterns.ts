import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";
import { type SourceFile, sourceFiles } from "./source-files.ts";

/**
 * Regular expressions must take linear time: they match strangers' messages, and a quadratic one would block everybody.
 * Repeated single characters are checked by analysis, and repeated beginnings of a pattern (`![![![`) by trial.
 */

/** Files whose patterns are slow but bounded by something else. */
const BOUNDED: Readonly<Record<string, string>> = {
  "src/core/providers/demo/intent.ts": "takes requests to the demo model of at most 1,000 characters",
  "src/core/providers/demo/setting.ts": "takes lines of at most 1,000 characters",
};

/** Files with patterns built at run time, which this gate cannot read. */
const MADE: Readonly<Record<string, string>> = {
  ...BOUNDED,
  "src/adapters/discord/format.ts": "a class of two characters, and a count",
  "src/adapters/web/page/text/signs.ts": "one of some signs",
  "src/config/settings.ts": "hosts of the operator's own settings",
  "src/features/mcp/catalogue/json-schema.ts": "compiled only, to see whether it is one",
  "wasm/guests/bash/expansion/replacement.ts": "what a script replaces, with at most one repetition",
  "wasm/guests/bash/find/patterns.ts": "what a script searches for; the sandbox bounds its time",
  "wasm/guests/bash/jq/regex.ts": "what a filter searches for; the sandbox bounds its time",
  "wasm/guests/bash/text/alternatives.ts": "what a script searches for, and a count",
  "wasm/guests/bash/text/posix-regex.ts": "what a script searches for; the sandbox bounds its time",
  "wasm/guests/bash/text/sort.ts": "fields of blanks and others, and their count",
  "wasm/guests/bash/text/translate.ts": "a class of bytes, and a count",
  "wasm/guests/files/pattern.ts": "what a call searches for; the sandbox bounds its time",
};

export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

export function patternProblems(root: string): string[] {
  return sourceFiles(root, ["src", "wasm/guests"], [".ts", ".tsx", ".mjs"]).flatMap(problemsOf);
}

function problemsOf(file: SourceFile): string[] {
  const problems: string[] = [];
  const report = (start: number, what: string) => {
    problems.push(`${file.path}:${file.text.slice(0, start).split("\n").length}: ${what}.`);
  };
  new Visitor({
    Literal(node) {
      if (!("regex" in node) || file.path in BOUNDED) return;
      const { pattern: source, flags } = node.regex;
      const slow = slowness({ source, flags });
      if (slow !== null) report(node.start, `/${source}/ takes time that grows faster than the text ${slow}`);
    },
    NewExpression({ callee, arguments: [source], start }) {
      const isMade = callee.type === "Identifier" && callee.name === "RegExp" && source?.type !== "Literal";
      if (isMade && !(file.path in MADE))
        report(start, "write the pattern as a literal, so that its time can be judged");
    },
  }).visit(parseSync(file.path, file.text).program);
  return problems;
}

/** Describes a text that makes a pattern slow; null if none was found. */
export function slowness(pattern: Pattern): string | null {
  const { reports, parsed } = analyse(pattern);
  const [found] = reports;
  if (found !== undefined) return `of repeated ${JSON.stringify(found.character.pick)}`;
  const slow = beginningsOf(parsed.pattern).find((beginning) => growsTooFast(pattern, beginning));
  return slow === undefined ? null : `of repeated ${JSON.stringify(slow)}`;
}

type Parsed = ReturnType<typeof analyse>["parsed"]["pattern"];
type Element = Parsed["alternatives"][number]["elements"][number];

/** The shortest texts that match the first one, two, three … elements of each alternative. */
function beginningsOf({ alternatives }: Parsed): readonly string[] {
  const found = alternatives.flatMap(({ elements }) => {
    const parts = elements.flatMap(partsOf);
    return parts.map((_part, index) =>
      parts
        .slice(0, index + 1)
        .map(shortest)
        .join(""),
    );
  });
  return [...new Set(found)].filter((text) => text.length > 1);
}

/** Replaces groups and lookaheads by their contents. */
function partsOf(element: Element): readonly Element[] {
  const holds = element.type === "Group" || element.type === "CapturingGroup";
  const looksAhead = element.type === "Assertion" && element.kind === "lookahead" && !element.negate;
  return holds || looksAhead ? (element.alternatives[0]?.elements ?? []).flatMap(partsOf) : [element];
}

/** A text that an element matches, as short as is easily found. */
function shortest(element: Element): string {
  switch (element.type) {
    case "Character":
      return String.fromCodePoint(element.value);
    case "CharacterSet":
      return element.kind === "space" ? " " : element.kind === "digit" ? "1" : "a";
    case "CharacterClass":
      return inClass(element);
    case "Quantifier":
      return shortest(element.element).repeat(Math.max(element.min, Math.min(1, element.max)));
    case "Group":
    case "CapturingGroup":
      return (element.alternatives[0]?.elements ?? []).map(shortest).join("");
    default:
      return "";
  }
}

/** Letters, digits and signs that a class may contain; for classes of other characters any sign will do. */
const CANDIDATES = ["a", "1", "-", "_", " ", ".", ":", "/", "x", "=", "\t", '"', "'", "A"];

function inClass({ raw }: { readonly raw: string }): string {
  const one = new RegExp(raw, "u");
  return CANDIDATES.find((text) => one.test(text)) ?? "a";
}

/** Text lengths in characters, up to the maximum of a message, in steps at which even the worst patterns finish. */
const LENGTHS = [100, 400, 1_600, 6_400, 25_600];
/** Milliseconds below which a pattern is fast enough. */
const NOTICED_MS = 10;
/** Total milliseconds of repeated work that a clock with 4 ms ticks can measure. */
const MEASURED_MS = 80;
/** Maximum ratio of times for a text four times as long: linear patterns give four, quadratic ones sixteen. */
const TOLERATED = 9;

function growsTooFast(pattern: Pattern, piece: string): boolean {
  const isSticky = pattern.flags.includes("y");
  const expression = new RegExp(pattern.source, isSticky ? pattern.flags : `${pattern.flags.replace("g", "")}g`);
  const workOn = (length: number) => {
    const text = repeated(piece, length);
    return () => (isSticky ? expression.exec(text) : text.replaceAll(expression, ""));
  };
  let before = NOTICED_MS / TOLERATED;
  for (const length of LENGTHS) {
    const work = workOn(length);
    const cost = costOf(work);
    // Suspicious patterns are measured again, more precisely than the coarse clock allows for a single match.
    if (cost > NOTICED_MS && cost > TOLERATED * before && meanCostOf(work) > TOLERATED * meanCostOf(workOn(length / 4)))
      return true;
    before = Math.max(cost, before);
  }
  return false;
}

/** Repeats a piece, with an end that prevents patterns for whole lines from matching. */
function repeated(piece: string, length: number): string {
  return `${piece.repeat(Math.ceil(length / piece.length))}\u{0}\n\u{0}`;
}

/** Processor time of this thread in milliseconds, the fastest of three runs. */
function costOf(work: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => spentOn(work)));
}

/** Like `costOf`, averaged over as many runs as the clock needs. */
function meanCostOf(work: () => unknown): number {
  let [spent, times] = [0, 0];
  for (; spent < MEASURED_MS; times += 1) spent += spentOn(work);
  return spent / times;
}

function spentOn(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
