import type { SessionState } from "../../sessions/team-sessions.ts";

/** The states of sessions, each with its word and sign. */
export const STATES: readonly { readonly state: SessionState; readonly word: string; readonly sign: string }[] = [
  { state: "working", word: "Working", sign: "⏳" },
  { state: "waiting", word: "Waiting", sign: "⏸" },
  { state: "done", word: "Done", sign: "✓" },
  { state: "failed", word: "Failed", sign: "✗" },
  { state: "stopped", word: "Stopped", sign: "⏹" },
  { state: "none", word: "No run yet", sign: "" },
];

export function stateWords(state: SessionState): string {
  const { sign, word } = STATES.find((each) => each.state === state) ?? { sign: "", word: state };
  return `${sign} ${word}`.trim();
}
