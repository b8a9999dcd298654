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
    "cd accepts one directory only, - once there was another, and none if there is a HOME",
    /(let (\w)=\w\.slice\(\w\);)(?=if\(\2\.length===0\|\|\2\[0\]==="~"\?\w=(\w)\.)/g,
    '$1let why=$2.length>1?"too many arguments":$2.length===0&&!$3.state.env.has("HOME")?"HOME not set":$2[0]==="-"&&!$3.state.env.get("OLDPWD")?"OLDPWD not set":"";' +
      'if(why)return{stdout:"",stderr:`bash: cd: ${why}\\n`,exitCode:1};',
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
    "A script that bash or sh runs with options may come from a file, too",
    /(execute\((\w),(\w)\)\{if\(\w+\(\2\)\)return \w+\(\w+\);if\(\2\[0\]==="-c"&&[^]{1,120}?return (\w+)\(\w,\w,\w,\3)(\)\}[^]{1,1200}?execute\((\w),(\w)\)\{if\(\w+\(\6\)\)return [^;]{1,160};if\(\6\[0\]==="-c"&&[^]{1,120}?return \4\(\w,\w,\w,\7)(?=\)\})/g,
    "$1,$2.file$5,$6.file",
  ],
  [
    "BASH_SOURCE names the script or the sourced file outside of functions, too",
    /case"BASH_SOURCE":\{let \w=(\w)\.state\.sourceStack\?\.\[0\]/g,
    "$&??$1.state.currentSource",
  ],
  ["OLDPWD is unset at first", /\["OLDPWD",\w\],(?=\["OPTIND","1"\])/g, ""],
  [
    "SHLVL counts the shells",
    /(?<==\{\.\.\.this\.state,currentSource:(\w)\.env\?[^]{1,200}?env:)(\w)(?=,)/g,
    "repairs.countShell($2,$1.env)",
  ],
  [
    "Line numbers in a command substitution go on from its line",
    /(case"LINENO":return String\()(\w)\.state\.currentLine/g,
    "$1$2.state.currentLine+($2.state.lineOffset??0)",
  ],
  [
    "source accepts more than nine arguments",
    /for\(let (\w)=1;\1<=9;\1\+\+\)(\w\.set\(String\(\1\),(\w)\.state\.env\.get\(String\(\1\)\)\);[^]{1,200}?for\(let \w=0;\w<(\w)\.length)&&\w<9(;[^;]{1,40};)for\(let (\w)=\4\.length\+1;\6<=9;/g,
    'let own=Math.max($3.state.env.get("#")??0,n.length);for(let $1=1;$1<=own;$1++)$2$5for(let $6=$4.length+1;$6<=own;',
  ],
  [
    "A script that runs as a command is run by bash, unless its #! line names another interpreter",
    /(async function (\w+)\((\w),(\w),(\w),\w,\w)(,own\)\{let\{ctx:(\w)[^]{1,900}?:(\w+)\(`bash: \$\{\4\}: No such file or directory\n`,127\);if\()("script"in (\w)\))return \4\.includes\("\/"\)\|\|\([^;]{1,120}\),await \w\(\10\.path,\5,(\w)\)/g,
    "$1$6$9{let other=repairs.otherInterpreter(await $7.fs.readFile($10.path));if(other!==null)return $8(`bash: ${other}: command not found\\n`,127);" +
      'return await $2($3,"bash",[$4.includes("/")?$4:$10.path,...$5],$11,!0,own)}',
  ],
  [
    "timeout ends a loop that never waits",
    /(\w)\.state\.commandCount=\1\.executionScope\.chargeCommand\(\),/g,
    "$&$1.state.commandCount%256||await repairs.runTimers(),",
  ],
  [
    "alias -p lists the aliases, sorted",
    /if\((\w)(\.length===0)\)(\{let \w="";for\(let\[\w,\w\]of )(\w\.env)\)(?=if\(\w\.startsWith\(\w+\)\)\{let \w=\w\.slice\(\w+\.length\);\w\+=`alias )/g,
    'if($1$2||$1[0]==="-p"&&$1.length===1)$3[...$4].sort())',
  ],
];
