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
  [
    "Lack of memory in a command ends the script",
    /(catch\((\w)\)\{)(if\(\2 instanceof (\w+)\|\|\2 instanceof \w+\|\|\2 instanceof \w+\)throw \2;return \w+\(`\$\{\w\}: \$\{\w+\(\w+\(\2\)\)\}\n`\))/g,
    '$1if(repairs.isMemoryError($2))throw new $4("out of memory");$3',
  ],
  [
    "Lack of memory in a list of commands ends the script",
    /(catch\((\w)\)\{)(if\(\w+\(\2\)\|\|\2 instanceof \w+\|\|\2 instanceof \w+\|\|\2 instanceof (\w+)\|\|\2 instanceof \w+\)throw \2\.prependOutput\([^;]{1,80};return \w\.appendUnaccounted\()/g,
    '$1if(repairs.isMemoryError($2))$2=new $4("out of memory");$3',
  ],
  [
    "Lack of memory in a group of commands ends the script",
    /(catch\((\w)\)\{if\(\w\(\),)(\2 instanceof (\w+)\)throw \w\.prependTo\(\2\),\2;if\(\w+\(\2\))/g,
    '$1repairs.isMemoryError($2)&&($2=new $4("out of memory")),$3',
  ],
  [
    "${v:?word} names the variable",
    /(let (\w)=\w\.word\?)(await \w\(\w,\w\.word\.parts,\w\.inDoubleQuotes\))(:`\$\{(\w)\}: parameter null or not set`)/g,
    "$1`${$5}: ${$3}`$4",
  ],
];
