/** The one line for a Node that is too old, or null. `version` is as in `process.versions.node`. */
export function nodeProblem(version: string): string | null;
/** Ends the process with the line and exit code 1 when this Node is too old. */
export function requireNode(): void;
