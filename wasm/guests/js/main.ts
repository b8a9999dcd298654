import { createConsole } from "./console.ts";
import { inspect } from "./inspect.ts";
import { installClock, installRandom } from "./surroundings.ts";

/** What the host asks: a program, and the few things of the outside that it gets to know. */
interface ProgramRequest {
  readonly code: string;
  /** Characters of console output that are kept. */
  readonly maxChars: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** 32 bits. Instances start from one snapshot: without it, all would draw the same numbers. */
  readonly seed: number;
}

// Taken before the program can replace them.
const { parse, stringify } = JSON;
/** Called by another name, eval runs the program in the global scope. */
// oxlint-disable-next-line no-eval -- running a program is what this guest is for
const evaluate: (code: string) => unknown = globalThis.eval;

function run({ code, maxChars, now, seed }: ProgramRequest): object {
  installClock(now);
  installRandom(seed);
  const console = createConsole(maxChars);
  Object.defineProperty(globalThis, "console", { value: console.api, configurable: true, writable: true });
  try {
    const value: unknown = evaluate(code);
    return { output: console.text(), value: value === undefined ? null : console.cut(inspect(value)), error: null };
  } catch (error) {
    return { output: console.text(), value: null, error: console.cut(describe(error)) };
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `Uncaught ${inspect(error)}`;
  const at = /<input>:(\d+)/.exec(error.stack ?? "")?.[1];
  return at === undefined ? String(error) : `${String(error)} (line ${at})`;
}

export const tool = {
  invoke(input: string): string {
    return stringify(run(parse(input)));
  },
};
