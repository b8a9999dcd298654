import { bothCases, charsOfClass, charsOfEscape } from "./char-class.ts";

/**
 * Derives from a regular expression what each of its matches contains, so that files without it need not be searched.
 * It may only miss facts, never invent them: what it does not analyse (most escapes, look-around, characters beyond the
 * BMP) requires nothing.
 */

/** Part of a match: for each place the characters that may appear there. */
type Stretch = readonly string[];
/** Stretches of which each match contains at least one; null if nothing is known. */
type Required = readonly Stretch[] | null;

/** Searching for texts is much faster than for shapes, and texts may contain any script; shapes are ASCII only. */
type Kind = "texts" | "shapes";

/**
 * Minimum information of a stretch; one with less would exclude too few files. A place carries seven bits, less the
 * bits left open.
 */
const MIN_BITS: Readonly<Record<Kind, number>> = { texts: 14, shapes: 4 };
const MAX_STRETCHES = 16;
/** The host matches all shapes at once in one 32-bit number. */
const MAX_PLACES = 31;
/** Maximum copies of a repeated atom. */
const MAX_COPIES = 8;

interface Flags {
  readonly ignoreCase: boolean;
  readonly unicode: boolean;
}

/** Texts of which every match contains one, in lower case if case is ignored. Empty if nothing is known. */
export function needlesOf(source: string, flags: Flags): string[] {
  const needles = required(source, "texts", flags).map((stretch) => stretch.join(""));
  if (!flags.ignoreCase) return needles;
  return needles.every(isAscii) ? needles.map((needle) => needle.toLowerCase()) : [];
}

/** Like `needlesOf`, for patterns without a certain text, e.g. two digits, a dash, two digits. */
export function shapesOf(source: string, flags: Flags): Stretch[] {
  const shapes = required(source, "shapes", flags);
  const places = Math.floor(MAX_PLACES / Math.max(shapes.length, 1));
  return shapes.map((shape) => shape.slice(0, places));
}

function required(source: string, kind: Kind, flags: Flags): Stretch[] {
  if (flags.ignoreCase && flags.unicode) return []; // Unicode folding lets U+212A match k
  const parser = new Parser(source, kind, flags);
  const stretches = parser.alternatives();
  return stretches === null || !parser.atEnd ? [] : [...stretches];
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** The more informative of two facts that both hold, judged by their least specific stretches. */
function better(a: Required, b: Required): Required {
  if (a === null || b === null) return a ?? b;
  return leastBits(b) > leastBits(a) ? b : a;
}

function leastBits(stretches: readonly Stretch[]): number {
  return Math.min(...stretches.map(bitsOf));
}

function bitsOf(stretch: Stretch): number {
  return stretch.reduce((bits, chars) => bits + 7 - Math.log2(chars.length), 0);
}

interface Atom {
  /** The characters of which the atom matches one. */
  readonly chars?: string;
  readonly required: Required;
}

const NOTHING: Atom = { required: null };

interface Times {
  readonly least: number;
  readonly most: number;
}

class Parser {
  readonly #source: string;
  readonly #kind: Kind;
  readonly #flags: Flags;
  #at = 0;

  constructor(source: string, kind: Kind, flags: Flags) {
    this.#source = source;
    this.#kind = kind;
    this.#flags = flags;
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): Required {
    const branches: Required[] = [this.#sequence()];
    while (this.#take(/\|/y)) branches.push(this.#sequence());
    const all: Stretch[] = [];
    for (const branch of branches) {
      if (branch === null) return null;
      all.push(...branch);
    }
    return all.length > MAX_STRETCHES ? null : all;
  }

  /** Collects what a sequence requires: all its stretches of single characters, and its groups. */
  #sequence(): Required {
    let best: Required = null;
    let stretch: string[] = [];
    const endStretch = (next: string[]): void => {
      if (bitsOf(stretch) >= MIN_BITS[this.#kind]) best = better(best, [stretch]);
      stretch = next;
    };
    while (!this.atEnd && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const { chars, required } = this.#atom();
      const { least, most } = this.#quantifier();
      const copies = Array<string>(chars === undefined ? 0 : Math.min(least, MAX_COPIES)).fill(chars ?? "");
      stretch.push(...copies);
      // If there may be more repetitions than these copies, the last copies are adjacent to what follows.
      if (chars === undefined || most > copies.length) endStretch([...copies]);
      if (least > 0) best = better(best, required);
    }
    endStretch([]);
    return best;
  }

  #quantifier(): Times {
    const found = this.#take(/[*+?]\??|\{(\d+)(?:(,)(\d*))?\}\??/y);
    if (found === null) return { least: 1, most: 1 };
    const [all, least, comma, most] = found;
    if (least === undefined) return { least: all.startsWith("+") ? 1 : 0, most: all.startsWith("?") ? 1 : Infinity };
    if (comma === undefined) return { least: Number(least), most: Number(least) };
    return { least: Number(least), most: most === "" ? Infinity : Number(most) };
  }

  #atom(): Atom {
    if (this.#take(/\(/y)) return this.#group();
    if (this.#take(/\\/y)) return this.#escape();
    const [, body] = this.#take(/\[((?:\\[^]|[^\]\\])*)\]/y) ?? [];
    if (body !== undefined) return this.#oneOf(charsOfClass(body));
    const char = this.#source.charAt(this.#at++);
    return "^$.[".includes(char) ? NOTHING : this.#oneOf(char);
  }

  #group(): Atom {
    const around = this.#take(/\?<?[=!]/y) !== null;
    if (!around) this.#take(/\?(?:<[^>]*>|[a-z-]*:)/y);
    const inner = this.alternatives();
    this.#take(/\)/y);
    return around ? NOTHING : { required: inner };
  }

  #escape(): Atom {
    const operand = this.#flags.unicode
      ? /x[0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|p\{[^}]*\}|k<[^>]*>|c[a-z]|\d+|[a-z]/iy
      : /x[0-9a-f]{2}|u[0-9a-f]{4}|k<[^>]*>|c[a-z]|\d+|[a-z]/iy;
    const [known] = this.#take(operand) ?? [];
    return this.#oneOf(known === undefined ? this.#source.charAt(this.#at++) : charsOfEscape(known));
  }

  #oneOf(chars: string | null): Atom {
    if (chars === null || !isSearchable(chars)) return NOTHING;
    if (this.#kind === "texts") return chars.length === 1 ? { chars, required: null } : NOTHING;
    if (!isAscii(chars)) return NOTHING;
    return { chars: this.#flags.ignoreCase ? bothCases(chars) : chars, required: null };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

/** False for halves of surrogate pairs and the replacement character, which cannot be searched for in UTF-8. */
function isSearchable(chars: string): boolean {
  return chars !== "" && !/[\ud800-\udfff\ufffd]/.test(chars);
}
