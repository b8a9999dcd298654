import type { Entry } from "./entry.ts";

/** A part of an expression: whether it holds for an entry. */
export type Test = (entry: Entry) => boolean | Promise<boolean>;

/** Reads the words of an expression one by one. */
export interface Words {
  /** Returns the next word without consuming it; undefined at the end. */
  peek(): string | undefined;
  /** Consumes the next word. */
  next(): string | undefined;
  /** Consumes the value of an option; throws if it is missing. */
  value(option: string): string;
}

export function wordsOf(args: readonly string[]): Words {
  let at = 0;
  return {
    peek: () => args[at],
    next: () => args[at++],
    value: (option) => {
      const value = args[at++];
      if (value === undefined) throw new Error(`missing argument to '${option}'`);
      return value;
    },
  };
}

const ENDS = new Set([")", ",", "-o", "-or"]);

/** Parses an expression. Expressions separated by commas are all evaluated, and the last one decides. */
export function expressionOf(words: Words, predicate: (name: string, words: Words) => Test): Test {
  const tests = [alternatives(words, predicate)];
  while (words.peek() === ",") {
    words.next();
    tests.push(alternatives(words, predicate));
  }
  return async (entry) => {
    let holds = true;
    for (const test of tests) holds = await test(entry);
    return holds;
  };
}

function alternatives(words: Words, predicate: (name: string, words: Words) => Test): Test {
  const tests = [together(words, predicate)];
  while (words.peek() === "-o" || words.peek() === "-or") {
    words.next();
    tests.push(together(words, predicate));
  }
  return async (entry) => {
    for (const test of tests) if (await test(entry)) return true;
    return false;
  };
}

function together(words: Words, predicate: (name: string, words: Words) => Test): Test {
  const tests: Test[] = [];
  while (!ENDS.has(words.peek() ?? ")")) {
    if (words.peek() !== "-a" && words.peek() !== "-and") tests.push(single(words, predicate));
    else if (tests.length === 0)
      throw new Error(
        `invalid expression; you have used a binary operator '${words.peek() ?? ""}' with nothing before it.`,
      );
    else {
      words.next();
      tests.push(single(words, predicate));
    }
  }
  if (tests.length === 0) throw new Error("invalid expression");
  return async (entry) => {
    for (const test of tests) {
      const holds = test(entry);
      if (!(typeof holds === "boolean" ? holds : await holds)) return false;
    }
    return true;
  };
}

function single(words: Words, predicate: (name: string, words: Words) => Test): Test {
  const word = words.next();
  if (word === undefined || ENDS.has(word)) throw new Error("invalid expression");
  if (word === "!" || word === "-not") {
    const test = single(words, predicate);
    return async (entry) => !(await test(entry));
  }
  if (word !== "(") return predicate(word, words);
  const test = expressionOf(words, predicate);
  if (words.next() !== ")")
    throw new Error("invalid expression; I was expecting to find a ')' somewhere but did not see one.");
  return test;
}
