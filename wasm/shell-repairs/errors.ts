import type { Repair } from "./repair.ts";

/** Patches of how commands fail and of what takes too long. */
export const ERROR_REPAIRS: readonly Repair[] = [
  [
    "A command that finds no file says whether a part of its path is a file",
    /return\{\.\.\.(\w)(?=,internalStdinConsumed:repairs\.inputTaken\((\w)\.state)/g,
    "return{...await repairs.fileComplaints($2,$1)",
  ],
  [
    "A redirection that cannot be opened says why, as do builtins",
    /return (await this\.executeWithInput\(\w,\w,\w\))/g,
    "return await repairs.fileComplaints(this.ctx,$1)",
  ],
  [
    "timeout knows how long the commands of <(…) took, which run before it",
    /(let \w=)(await \w+\(\w,\w\.body,void 0\))([^]{1,600}?\w\.push\(\{fd:\w,path:)(\w)(?=,direction)/g,
    "$1await repairs.timed(async()=>$2)$3repairs.recordDuration($4)",
  ],
];
