interface State {
  readonly funcNameStack?: readonly string[];
  readonly callLineStack?: readonly number[];
  readonly sourceStack?: readonly string[];
  /** The script that runs; undefined in `bash -c`. */
  readonly currentSource?: string;
}

/** Elements of FUNCNAME, BASH_LINENO or BASH_SOURCE; a script's own frame, `main`, comes last. */
export function frames(state: State, name: string): readonly string[] {
  const { currentSource, funcNameStack = [], callLineStack = [], sourceStack = [] } = state;
  const calls = { FUNCNAME: funcNameStack, BASH_LINENO: callLineStack.map(String), BASH_SOURCE: sourceStack }[name];
  if (calls === undefined || currentSource === undefined) return calls ?? [];
  if (name === "FUNCNAME") return calls.length === 0 ? [] : [...calls, "main"];
  return [...calls, name === "BASH_SOURCE" ? currentSource : "0"];
}

/** Whether a variable is one of these lists. */
export function isFrames(name: string): boolean {
  return /^(?:FUNCNAME|BASH_LINENO|BASH_SOURCE)$/.test(name);
}
