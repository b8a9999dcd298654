import { ProgramError } from "./tokens.ts";

interface Names {
  readonly name: string;
  readonly next: Names | null;
}

/** The names in scope in a part of a program: `f/1` for functions, `$x` for variables, `*x` for labels. */
export class Scope {
  #names: Names | null = null;

  constructor(names: Iterable<string>) {
    for (const name of names) this.#add(name);
  }

  #add(name: string): void {
    this.#names = { name, next: this.#names };
  }

  has(name: string): boolean {
    for (let at = this.#names; at !== null; at = at.next) if (at.name === name) return true;
    return false;
  }

  /** Runs `parse` with these names in scope as well. */
  within<T>(names: readonly string[], parse: () => T): T {
    const outer = this.#names;
    for (const name of names) this.#add(name);
    const parsed = parse();
    this.#names = outer;
    return parsed;
  }

  known(name: string, mark: "$" | "*"): string {
    if (!this.has(`${mark}${name}`)) throw new ProgramError(`$${name} is not defined`);
    return name;
  }
}
