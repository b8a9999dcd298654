/** Error in a program, found before it runs. */
export class ProgramError extends Error {}

const BLANKS = /(?:[ \t\r\n]|#[^\n]*)*/y;
const TOKEN =
  /"|\$__loc__|\$?(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*|\.\.|\.[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|@\w+|\?\/\/|\/\/=|\/\/|[-+*/%|=!<>]=|[^]/y;
const PLAIN = /[^"\\]*/y;
const ESCAPE = /\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/y;

/** A program's words, one at a time. */
export class Tokens {
  readonly #source: string;
  #at = 0;
  /** The next one; empty at the end. Of a text its first quote: `textPart` reads what is behind. */
  token = "";

  constructor(source: string) {
    this.#source = source;
    this.#next();
  }

  get line(): number {
    return this.#source.slice(0, this.#at).split("\n").length;
  }

  is(token: string): boolean {
    return this.token === token;
  }

  take(): string {
    const { token } = this;
    this.#next();
    return token;
  }

  skip(token: string): boolean {
    const is = this.is(token);
    if (is) this.#next();
    return is;
  }

  expect(token: string): void {
    if (!this.skip(token)) throw this.unexpected();
  }

  /** What stands right behind the token. */
  follows(chars: string): boolean {
    return chars.includes(this.#source.charAt(this.#at) || " ");
  }

  /** A text up to its end, or up to `\(`: then a filter comes, and its `)` is the token before the next part. */
  textPart(): { readonly text: string; readonly isEnd: boolean } {
    let text = "";
    for (;;) {
      text += this.#match(PLAIN);
      const escape = this.#match(ESCAPE);
      if (escape !== "") text += String(JSON.parse(`"${escape}"`));
      else {
        const isEnd = this.#source[this.#at] === '"';
        if (!isEnd && !this.#source.startsWith("\\(", this.#at))
          throw new ProgramError(`syntax error, unfinished text or invalid escape in line ${this.line}`);
        this.#at += isEnd ? 1 : 2;
        this.#next();
        return { text: text.toWellFormed(), isEnd };
      }
    }
  }

  unexpected(): ProgramError {
    const { token } = this;
    return new ProgramError(
      `syntax error, unexpected ${token === "" ? "end of the filter" : token} in line ${this.line}`,
    );
  }

  #next(): void {
    this.#match(BLANKS);
    this.token = this.#match(TOKEN);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#source) ?? [];
    this.#at += found.length;
    return found;
  }
}
