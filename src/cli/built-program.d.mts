/** Where the bundle lies, beneath the project's directory. */
export const BUILT_PROGRAM: string;
/** The bundle's entry, or null when there is none or a source has changed since. `root` is the project's directory. */
export function builtProgram(root: string): string | null;
