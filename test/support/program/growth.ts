/** What a message holds at most on any platform, and a quarter of it. Characters. */
export const LONG = 40_000;
const SHORT = LONG / 4;

/** Below this, growth cannot be told from the clock's fineness, and hurts nobody. Milliseconds. */
const FINENESS_MS = 8;

/** Four times the text takes four times as long where the work is linear, sixteen times where it is quadratic. */
export const TOLERATED_GROWTH = 11;

/** Times that the long text is measured while it seems to grow too fast: a collection of garbage may fall into one. */
const LONG_TRIES = 12;

/** The same of the short one, which takes a quarter of that, and always so often: its quickest must not be slow. */
const SHORT_TRIES = 3;

/**
 * How much longer `work` takes for a text of four times the length. Processor time of this thread: what else the machine
 * does is not in it. The quickest try of a length counts, since a machine under load adds time and never takes it away.
 */
export function growthOf(work: (text: string) => unknown, text: (length: number) => string): number {
  let long = costOf(work, text(LONG));
  if (long < FINENESS_MS) return 1;
  const short = leastOf(SHORT_TRIES, () => costOf(work, text(SHORT)));
  const growth = () => long / Math.max(short, FINENESS_MS / 4);
  for (let tries = 1; tries < LONG_TRIES && growth() >= TOLERATED_GROWTH; tries += 1) {
    long = Math.min(long, costOf(work, text(LONG)));
  }
  return long < FINENESS_MS ? 1 : growth();
}

function leastOf(tries: number, measure: () => number): number {
  return Math.min(...Array.from({ length: tries }, measure));
}

function costOf(work: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  work(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Texts that make careless patterns and scanners go over the same characters again and again. */
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

/** One, two, three … of the piece, so that each run is new to who remembers the ones before. */
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
