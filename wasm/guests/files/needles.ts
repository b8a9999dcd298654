/**
 * Derives from a regular expression a few texts of which every match contains at least one, so that
 * files without any of them need not be searched. It errs only towards knowing less: what it does not
 * follow closely (classes, escapes, look-around, characters beyond the BMP) simply requires nothing.
 */

/** Any-of texts that a match must contain; null: nothing is known. */
type Needles = readonly string[] | null;

/** A needle below this length keeps too little out. */
const MIN_LENGTH = 2;
const MAX_NEEDLES = 16;

export function needlesOf(
  source: string,
  flags: { readonly ignoreCase: boolean; readonly unicode: boolean },
): string[] {
  if (flags.ignoreCase && flags.unicode) return []; // Unicode folding lets U+212A match k
  const parser = new Parser(source, flags.unicode);
  const needles = parser.alternatives();
  if (needles === null || !parser.atEnd) return [];
  if (!flags.ignoreCase) return [...needles];
  return needles.every(isAscii) ? needles.map((needle) => needle.toLowerCase()) : [];
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** The better of two facts that both hold: the one whose shortest text is longer. */
function better(a: Needles, b: Needles): Needles {
  if (a === null || b === null) return a ?? b;
  return shortest(b) > shortest(a) ? b : a;
}

function shortest(needles: readonly string[]): number {
  return Math.min(...needles.map((needle) => needle.length));
}

interface Atom {
  /** One character that stands for itself. */
  readonly literal?: string;
  readonly needles: Needles;
}

const NOTHING: Atom = { needles: null };

class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  #at = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): Needles {
    const branches: Needles[] = [this.#sequence()];
    while (this.#take(/\|/y)) branches.push(this.#sequence());
    const all: string[] = [];
    for (const branch of branches) {
      if (branch === null) return null;
      all.push(...branch);
    }
    return all.length > MAX_NEEDLES ? null : all;
  }

  /** Everything in a sequence is required: runs of literal characters, and groups. */
  #sequence(): Needles {
    let best: Needles = null;
    let run = "";
    const endRun = (): void => {
      if (run.length >= MIN_LENGTH) best = better(best, [run]);
      run = "";
    };
    while (!this.atEnd && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const { literal, needles } = this.#atom();
      const times = this.#quantifier();
      if (literal !== undefined && times !== "optional") run += literal;
      if (literal === undefined || times !== "once") endRun();
      if (times !== "optional") best = better(best, needles);
    }
    endRun();
    return best;
  }

  #quantifier(): "once" | "optional" | "repeated" {
    const found = this.#take(/[*+?]\??|\{(\d+)(?:,\d*)?\}\??/y);
    if (found === null) return "once";
    const least = found[1] === undefined ? (found[0].startsWith("+") ? 1 : 0) : Number(found[1]);
    return least === 0 ? "optional" : "repeated";
  }

  #atom(): Atom {
    if (this.#take(/\(/y)) return this.#group();
    if (this.#take(/\\/y)) return this.#escape();
    if (this.#take(/\[(?:\\[^]|[^\]\\])*\]/y)) return NOTHING;
    const char = this.#source.charAt(this.#at++);
    if ("^$.[".includes(char) || !standsForItself(char)) return NOTHING;
    return { literal: char, needles: null };
  }

  #group(): Atom {
    const around = this.#take(/\?<?[=!]/y) !== null;
    if (!around) this.#take(/\?(?:<[^>]*>|[a-z-]*:)/y);
    const needles = this.alternatives();
    this.#take(/\)/y);
    return around ? NOTHING : { needles };
  }

  #escape(): Atom {
    const operand = this.#unicode
      ? /x[0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|p\{[^}]*\}|k<[^>]*>|c[a-z]|\d+|[a-z]/iy
      : /x[0-9a-f]{2}|u[0-9a-f]{4}|k<[^>]*>|c[a-z]|\d+|[a-z]/iy;
    if (this.#take(operand)) return NOTHING;
    const char = this.#source.charAt(this.#at++);
    return standsForItself(char) ? { literal: char, needles: null } : NOTHING;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

/** Halves of surrogate pairs cannot be looked for in UTF-8, nor can the replacement character. */
function standsForItself(char: string): boolean {
  const code = char.charCodeAt(0);
  return char !== "" && (code < 0xd800 || code > 0xdfff) && code !== 0xfffd;
}
