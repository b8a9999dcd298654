interface State {
  funcNameStack?: readonly string[];
  callLineStack?: readonly number[];
  sourceStack?: readonly string[];
  /** The file that is read; undefined in `bash -c`. */
  currentSource?: string | undefined;
  /** The file that was read before the first `source`. */
  script?: { readonly path: string | undefined } | undefined;
  readonly currentLine: number;
}

const SOURCE = "source";

/** Elements of FUNCNAME, BASH_LINENO or BASH_SOURCE; a script's own frame, `main`, comes last. */
export function frames(state: State, name: string): readonly string[] {
  const { currentSource, script, funcNameStack = [], callLineStack = [], sourceStack = [] } = state;
  const path = script === undefined ? currentSource : script.path;
  const calls = { FUNCNAME: funcNameStack, BASH_LINENO: callLineStack.map(String), BASH_SOURCE: sourceStack }[name];
  if (name === "FUNCNAME" && funcNameStack.every((call) => call === SOURCE)) return [];
  if (calls === undefined || path === undefined) return calls ?? [];
  return [...calls, { FUNCNAME: "main", BASH_SOURCE: path }[name] ?? "0"];
}

/** Adds the frame of a `source`, and returns a function that removes it. */
export function enterSource(state: State, path: string): () => void {
  const { currentSource, script, currentLine, funcNameStack = [], callLineStack = [], sourceStack = [] } = state;
  Object.assign(state, {
    currentSource: path,
    script: script ?? { path: currentSource },
    funcNameStack: [SOURCE, ...funcNameStack],
    callLineStack: [currentLine, ...callLineStack],
    sourceStack: [path, ...sourceStack],
  });
  return () => Object.assign(state, { currentSource, script, funcNameStack, callLineStack, sourceStack });
}

/** Whether a variable is one of these lists. */
export function isFrames(name: string): boolean {
  return /^(?:FUNCNAME|BASH_LINENO|BASH_SOURCE)$/.test(name);
}
