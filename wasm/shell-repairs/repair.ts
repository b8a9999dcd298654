/** What just-bash does otherwise than a shell must, and what its code reads instead. */
export type Repair = readonly [why: string, code: RegExp, instead: string | ((code: string) => string)];
