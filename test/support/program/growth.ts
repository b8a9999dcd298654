/** Maximum characters of a message on any platform. */
export const LONG = 40_000;

/** The long text is compared with this many parts of it. */
const PARTS = 4;

/** Milliseconds below which growth is harmless and lost in the clock's ticks, which are 4 ms on some machines. */
const FINENESS_MS = 12;

/** For linear work the whole costs as much as its parts; for quadratic work, four times as much. */
export const TOLERATED_GROWTH = 2.75;

/** Maximum measurements of the whole while it seems to grow too fast, since a garbage collection may disturb one. */
const WHOLE_TRIES = 12;

/** Number of measurements of the parts; always the same, so that their fastest is not slow. */
const PARTS_TRIES = 3;

/**
 * Ratio of the cost of `work` for a text to that for its parts, in processor time of this thread, which excludes other
 * load. The fastest try counts, since load only ever adds time. Growth at `LONG` may come from exceeding the
 * processor's caches, so a longer text shows whether it continues.
 */
export function growthOf(work: (text: string) => unknown, text: (length: number) => string): number {
  const growth = growthAt(LONG, work, text);
  return growth < TOLERATED_GROWTH ? growth : Math.min(growth, growthAt(PARTS * LONG, work, text));
}

function growthAt(length: number, work: (text: string) => unknown, text: (length: number) => string): number {
  const whole = text(length);
  let wholeMs = costOf(() => work(whole));
  if (wholeMs < FINENESS_MS) return 1;
  const part = text(length / PARTS);
  const partsMs = leastOf(PARTS_TRIES, () => costOf(() => Array.from({ length: PARTS }, () => work(part))));
  const growth = () => wholeMs / Math.max(partsMs, FINENESS_MS / PARTS);
  for (let tries = 1; tries < WHOLE_TRIES && growth() >= TOLERATED_GROWTH; tries += 1) {
    const again = costOf(() => work(whole));
    wholeMs = Math.min(wholeMs, again);
  }
  return wholeMs < FINENESS_MS ? 1 : growth();
}

function leastOf(tries: number, measure: () => number): number {
  return Math.min(...Array.from({ length: tries }, measure));
}

/** Processor time in milliseconds. */
function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Texts that make careless patterns and scanners rescan the same characters. */
export const HOSTILE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  blanks: (length) => `x${" ".repeat(length)}x`,
  tabs: (length) => `x${"\t".repeat(length)}x`,
  "line ends": (length) => `x${"\n".repeat(length)}x`,
  "blanks and line ends": of(" \n"),
  "carriage returns and line ends": of("\r\n "),
  "line separators": of("\u2028 "),
  "opening brackets": of("["),
  "closing brackets": of("]("),
  "opened pictures": of("!["),
  "pictures in pictures": of("![a](<"),
  "links in links": of("[a]("),
  "opening angles": of("<"),
  "opened people": of("<@U1|"),
  "opened people of Discord": of("<@1"),
  "opened commands": of("</a"),
  "opened channels": of("<#C1|"),
  "opened links": of("<http://a|"),
  "opened tags": of("<img "),
  "opened comments": of("<!--"),
  ampersands: of("&"),
  entities: of("&amp"),
  stars: of("*"),
  "stars and blanks": of("* "),
  "stars and letters": of("*a"),
  underscores: of("_a"),
  tildes: of("~"),
  backticks: of("`"),
  "backticks and letters": of("`a"),
  "backtick runs of growing length": growing("`", "a"),
  fences: of("```\n"),
  quotes: of("> "),
  "quotes of growing depth": growing(">", "\n"),
  "double quotes": of('"'),
  "single quotes": of("'a "),
  backslashes: of("\\"),
  colons: of(":a"),
  commas: of("a,"),
  slashes: of("/"),
  "dots and slashes": of("../../"),
  percents: of("%"),
  "encoded percents": of("%25"),
  dashes: of("-"),
  "dashes and line ends": of("---\n"),
  bars: of("|"),
  "tables of bars": of("|-"),
  hashes: of("#"),
  digits: of("1"),
  letters: of("a"),
  words: of("a "),
  "letters and points": of("a."),
  ats: of("a@"),
  addresses: of("http://"),
  "numbered lines": of("1. \n"),
  "half a surrogate pair": of("\uD83D"),
  "zero-width joiners": of("\u200D"),
  "combining marks": of("\u0301"),
};

function of(piece: string): (length: number) => string {
  return (length) => piece.repeat(Math.ceil(length / piece.length));
}

/** One, two, three … repetitions of the piece, so that each run differs from the previous ones. */
function growing(piece: string, between: string): (length: number) => string {
  return (length) => {
    const runs: string[] = [];
    for (let count = 1, chars = 0; chars < length; count += 1) {
      runs.push(piece.repeat(count));
      chars += count + between.length;
    }
    return runs.join(between);
  };
}
