const substituting = new WeakMap<object, boolean>();

/** Whether a part of the syntax tree contains a command substitution. */
export function hasCommandSubstitution(node: object): boolean {
  const known = substituting.get(node);
  if (known !== undefined) return known;
  const found = /"type":"(?:CommandSubstitution|ArithCommandSubst)"/.test(JSON.stringify(node));
  substituting.set(node, found);
  return found;
}

interface Input {
  groupStdin?: string | undefined;
  /** The command whose input its substitutions may read. */
  lender?: object | undefined;
}

/** Lets command substitutions of a command read its input, until the returned function is called. */
export function lendInput(state: Input, command: object, input: string | undefined): () => void {
  if (input === undefined || input === "" || state.groupStdin !== undefined || !hasCommandSubstitution(command))
    return () => {};
  Object.assign(state, { groupStdin: input, lender: command });
  return () => Object.assign(state, { groupStdin: undefined, lender: undefined });
}

/** What the substitutions of a command left of its input. */
export function leftInput({ groupStdin, lender }: Input, command: object, input: string): string {
  return lender === command ? (groupStdin ?? "") : input;
}

/** Complains about a file that a substitution cannot read. */
export function complainOfFile(state: { expansionStderr?: string }, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const [, path] = /^ENOENT[^']*'(.*)'$/.exec(message) ?? [];
  const sentence = path === undefined ? message : `${path}: No such file or directory`;
  state.expansionStderr = `${state.expansionStderr ?? ""}bash: ${sentence}\n`;
}

/** How long the commands of `<(…)` ran, by the path that stands for their output. */
const durations = new Map<string, number>();
let lastMs = 0;

/** Runs the commands of `<(…)`, which a real shell would run beside the command that reads their output. */
export async function timed<T>(run: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  try {
    return await run();
  } finally {
    lastMs = Date.now() - startedAt;
  }
}

/** Records for which path the last commands ran; returns it. */
export function recordDuration(path: string): string {
  durations.set(path, lastMs);
  lastMs = 0;
  return path;
}

/** Time that the commands of `<(…)` among the words of a command have taken, in milliseconds; they run at once. */
export function waitedMs(words: readonly string[]): number {
  return Math.max(0, ...words.map((word) => durations.get(word) ?? 0));
}
