/** The one line for a Node that is too old, or null. `version` is as in `process.versions.node`. */
export function nodeProblem(version: string): string | null;
