/** How the patched just-bash behaves, the code that causes another behaviour, and its replacement. */
export type Repair = readonly [why: string, code: RegExp, instead: string | ((code: string) => string)];
