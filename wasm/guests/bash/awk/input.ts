import { posixRegex } from "../text/posix-regex.ts";
import { refuseVariable } from "./arrays.ts";
import { numberText } from "./numbers.ts";

interface State {
  readonly vars: Record<string, unknown>;
  readonly firstInput: () => Promise<{ readonly name: string; readonly text: string }>;
  lines?: string[];
  lineIndex: number;
  FILENAME: string;
  FNR: number;
  /** Whether BEGIN has read records of the first file. */
  isAhead?: boolean;
  /** The input from which the records in `lines` were split. */
  input?: Input;
}

interface Input {
  readonly text: string;
  readonly separator: string;
  /** Number of records already read when the separator last changed. */
  readonly before: number;
  /** Where each record ends and the next begins. */
  readonly ends: readonly (readonly [end: number, next: number])[];
}

/** Opens the first file early because BEGIN reads from it. */
export async function readAhead(state: State): Promise<void> {
  const { name, text } = await state.firstInput().catch(() => ({ name: "", text: "" }));
  startFile(state, name, { text, lines: splitRecords(text, state.vars["RS"]) });
  if (state.lines?.at(-1) === "") state.lines.pop();
  state.isAhead = true;
}

/** Starts a file, skipping the records that BEGIN has already read. */
export function startFile(state: State, name: string, { text, lines }: { text: string; lines: string[] }): void {
  state.FILENAME = name;
  if (state.isAhead === true && state.lines !== undefined) {
    // The remaining records differ from the given ones if RS has changed since.
    lines.length = 0;
    for (const line of state.lines) lines.push(line);
    state.lines = lines;
  } else {
    state.lines = lines;
    state.FNR = 0;
    state.lineIndex = -1;
    state.input = inputOf(text, state.vars["RS"], 0);
  }
  state.isAhead = false;
}

function inputOf(text: string, given: unknown, before: number): Input {
  const separator = separatorOf(given);
  let ends: Input["ends"] | undefined;
  return {
    text,
    separator,
    before,
    get ends() {
      return (ends ??= endsOf(text, separator));
    },
  };
}

function separatorOf(given: unknown): string {
  return given === undefined ? "\n" : numberText(given);
}

/** Checks an assignment to a variable, and splits the unread input anew if the variable is RS. */
export function beforeAssignment(state: State, name: string, value: unknown): void {
  refuseVariable(name);
  const { lines, input } = state;
  if (name !== "RS" || lines === undefined || input === undefined) return;
  const read = state.lineIndex + 1;
  const at = state.lineIndex - input.before;
  const rest = input.text.slice(at < 0 ? 0 : (input.ends[at]?.[1] ?? input.text.length));
  const more = splitRecords(rest, value);
  if (more.at(-1) === "") more.pop();
  lines.length = read;
  for (const record of more) lines.push(record);
  state.input = inputOf(rest, value, read);
}

/** Value of RT: the text that ended the present record. */
export function recordTerminator({ lineIndex, input, vars }: State): unknown {
  if (input === undefined) return vars["RT"] ?? "";
  const [end, next] = input.ends[lineIndex - input.before] ?? [0, 0];
  return input.text.slice(end, next);
}

/** Splits awk's input into records. */
export function splitRecords(input: string, given?: unknown): string[] {
  const separator = separatorOf(given);
  if (separator.length === 1) return input.split(separator);
  const ends = endsOf(input, separator);
  const found: string[] = [];
  let from = separator === "" ? blankLinesOf(input) : 0;
  for (const [end, next] of ends) {
    found.push(input.slice(from, end));
    from = next;
  }
  // As with separators of one character, an empty text follows the last separator.
  const [end = 0, next = 0] = ends.at(-1) ?? [];
  return separator !== "" && end < next ? [...found, ""] : found;
}

function blankLinesOf(text: string): number {
  return /^\n*/.exec(text)?.[0].length ?? 0;
}

function endsOf(text: string, separator: string): (readonly [end: number, next: number])[] {
  const ends: [number, number][] = [];
  if (separator.length === 1) {
    for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) ends.push([at, at + 1]);
  } else {
    const start = separator === "" ? blankLinesOf(text) : 0;
    const pattern = separator === "" ? /\n\n+|\n$/g : posixRegex(separator, "extended", "g");
    for (const { 0: end, index } of text.matchAll(pattern))
      if (end !== "" && index >= start) ends.push([index, index + end.length]);
  }
  const behind = ends.at(-1)?.[1] ?? (separator === "" ? blankLinesOf(text) : 0);
  if (behind < text.length) ends.push([text.length, text.length]);
  return ends;
}

/** Returns an argument for `String.split` that splits a text as RS splits records. */
export function recordSplitter(separator: unknown): { [Symbol.split](text: string): string[] } {
  return { [Symbol.split]: (text) => splitRecords(text, separator) };
}
