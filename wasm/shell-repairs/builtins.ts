import type { Repair } from "./repair.ts";

/** Patches of the interpreter's builtins and here-documents. */
export const BUILTIN_REPAIRS: readonly Repair[] = [
  [
    "<<- strips tabs from the source text, not from expansions",
    /(let (\w)=this\.advance\(\),\w;)(?=(\w)\.quoted\?\w=\w+\.word\()/g,
    '$1if($3.stripTabs)$2={...$2,value:$2.value.replace(/(^|\\n)\\t+/g,"$$1")},$3.stripTabs=!1;',
  ],
  [
    "A redirection's path is relative to the directory in which its command began",
    /prepare:\((\w)=""\)=>(\w+)\((\w),(\w),\1,(\w)\)(?=,finish:)/g,
    'prepare:async($1="")=>repairs.resolveTargets($3,$4,await $2($3,$4,$1,$5))',
  ],
  [
    "[ and test report operands that they cannot compare",
    /(if\((\w)==="\["\|\|\2==="test"\)\{let (\w)=\w;[^]{1,120}?\.slice\(0,-1\)\})(?=return \w+\(\w,\3\)\})/g,
    "$1let own=repairs.testProblem($2,$3);if(own!==null)return own;",
  ],
  [
    "cd accepts one directory only",
    /(let (\w)=\w\.slice\(\w\);)(?=if\(\2\.length===0\|\|\2\[0\]==="~"\?)/g,
    '$1if($2.length>1)return{stdout:"",stderr:"bash: cd: too many arguments\\n",exitCode:1};',
  ],
  [
    "break does not end a loop around its subshell",
    /\{if\(\w\.state\.parentHasLoopContext\)throw new \w+;return \w+\}(?=if\(\w\.length>1\)throw new \w+\(1,"",`bash: break: too)/g,
    'return repairs.notInLoop("break");',
  ],
  [
    "continue does not affect a loop around its subshell",
    /\{if\(\w\.state\.parentHasLoopContext\)throw new \w+;return \w+\}(?=if\(\w\.length>1\)throw new \w+\(1,"",`bash: continue: too)/g,
    'return repairs.notInLoop("continue");',
  ],
  [
    "An element of FUNCNAME is set if the call stack reaches it",
    /(async function \w+\((\w),\w\)\{if\(new Set\(\["\?"[^]{1,700}?)(if\((\w)==="@"\|\|\4==="\*"\)return (\w+)\(\2,(\w)\)\.length>0)/g,
    "$1if(/^(?:FUNCNAME|BASH_LINENO|BASH_SOURCE)$$/.test($6)&&/^\\d+$$/.test($4))return $5($2,$6).length>Number($4);$3",
  ],
  [
    "bash passes on which file it runs",
    /(async function \w+\(\w,(\w),\w,(\w))(\)\{if\(!\3\.exec\)return\{[^]{1,200}?\w+\(\3\.exportedEnv\|\|\{\},\{)(?=0:\2,)/g,
    '$1,own=""$4"=source":own,',
  ],
  [
    "bash and sh run a file that BASH_SOURCE names",
    /(return (\w+)\(\w,(\w),\w,\w)(\)\}catch\{return\{stdout:"",stderr:`bash: \$\{\3\}[^]{1,700}?return \2\(\w,(\w),\w,\w)(?=\)\}catch\{return\{stdout:"",stderr:`sh: )/g,
    "$1,$3$4,$5",
  ],
  [
    "BASH_SOURCE names the script or the sourced file outside of functions, too",
    /(case"BASH_SOURCE":\{let \w=(\w)\.state\.sourceStack\?\.\[0\])([^]{1,1500}?==="BASH_SOURCE"\)\{[^{}]{1,120}?(\w)\.state\.sourceStack\?\.\[(\w)\]\?\?)(?="":"")/g,
    "$1??$2.state.currentSource$3($5===($4.state.sourceStack?.length??0)?$4.state.currentSource:void 0)??",
  ],
];
