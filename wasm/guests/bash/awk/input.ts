import { posixRegex } from "../text/posix-regex.ts";

interface State {
  readonly vars: Record<string, unknown>;
  readonly firstInput: () => Promise<{ readonly name: string; readonly text: string }>;
  lines?: readonly string[];
  lineIndex: number;
  FILENAME: string;
  FNR: number;
  /** Whether BEGIN has read records of the first file. */
  isAhead?: boolean;
}

/** Begins the first file before its turn. */
export async function readAhead(state: State): Promise<void> {
  const { name, text } = await state.firstInput().catch(() => ({ name: "", text: "" }));
  const separator = state.vars["RS"];
  startFile(state, name, records(text, typeof separator === "string" ? separator : undefined));
  if (state.lines?.at(-1) === "") state.lines = state.lines.slice(0, -1);
  state.isAhead = true;
}

export function startFile(state: State, name: string, lines: readonly string[]): void {
  state.FILENAME = name;
  state.lines = lines;
  if (state.isAhead !== true) {
    state.FNR = 0;
    state.lineIndex = -1;
  }
  state.isAhead = false;
}

/** The records of awk's input. */
export function records(input: string, separator = "\n"): string[] {
  if (separator === "") return input.split(/\n\n+|^\n|\n$/).filter((paragraph) => paragraph !== "");
  if (separator.length === 1) return input.split(separator);
  const found: string[] = [];
  let from = 0;
  for (const { 0: end, index } of input.matchAll(posixRegex(separator, "extended", "g"))) {
    if (end === "") continue;
    found.push(input.slice(from, index));
    from = index + end.length;
  }
  return [...found, input.slice(from)];
}
