/** A difference of just-bash from a real shell, the code that causes it, and its replacement. */
export type Repair = readonly [why: string, code: RegExp, instead: string | ((code: string) => string)];
