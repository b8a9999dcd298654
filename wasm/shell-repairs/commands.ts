import type { Repair } from "./repair.ts";

/** Repairs of the commands that just-bash brings. */
export const COMMAND_REPAIRS: readonly Repair[] = [
  [
    "ls puts an empty line before the content of a directory, not before each name",
    /if\((\w)>0&&(\w)&&(?=!\2\.endsWith\(`\n\n`\)&&\(\2=\w+\(t,\2,`\n`\)\),(\w)\)\{)/g,
    "if($1>0&&$2&&!$3&&(await t.fs.stat(t.fs.resolvePath(t.cwd,p[$1])).catch(()=>0)).isDirectory&&",
  ],
  [
    "xargs takes the value of an option without a space, such as -n1",
    /(?<=name:"xargs",async execute\((\w),\w\)\{)/g,
    'let own=$1.findIndex((a,i)=>!a.startsWith("-")&&!/^-[nIPLdsEa]$/.test($1[i-1]??""));if(own<0)own=$1.length;' +
      "$1=[...$1.slice(0,own).flatMap(a=>/^-[nIPLdsEa]./.test(a)?[a.slice(0,2),a.slice(2)]:[a]),...$1.slice(own)];",
  ],
  [
    "tac writes each file that is named, not the first alone",
    /(?<=async function (\w+)\(e,t\)\{)(?=if\(e\.length>0&&e\[0\]!=="-"\)\{let s=[^;]+;try\{let o=[^;]+;[^;]+;let a=o\.reverse\(\))/g,
    "if(e.length>1){let all=[];for(let file of e)all.push(await $1([file],t));" +
      'let text=name=>all.map(one=>one[name]).join("");' +
      'return{stdout:text("stdout"),stderr:text("stderr"),exitCode:Math.max(...all.map(one=>one.exitCode))}}',
  ],
  [
    "what md5sum and its like say of a missing file is no part of their output",
    /let (\w)="",(\w)=0;(for\(let \w of \w\)\{let \w=await \w\(\w\);if\(\w===null\)\{)\1(\+=`\$\{\w\}: \$\{\w\}: No such file or directory\n`,\2=1;continue\}\1\+=[^;]+\}return\{stdout:\1,stderr:)""/g,
    'let $1="",$2=0,complaints="";$3complaints$4complaints',
  ],
  [
    "xargs replaces by lines, and takes quotes away from words",
    /(?<=try\{\w=\w+\(\w,\w,\w\)\}catch[^]{1,200}?\}else \w=)\w+\((\w),\w\)(?=;if\(\w\.length===0\)return \w\?)/g,
    "repairs.xargsWords($1,n!==null)",
  ],
  [
    "sed changes the case of what it replaces",
    /(function (\w+)\((\w),(\w),(\w)\)\{)(?=let \w="",\w=0;for\(;\w<\3\.length;\)\{if\(\3\[\w\]==="\\\\"[^]{1,80}if\(\w==="&"\))/g,
    "$1if(/\\\\[ULEul]/.test($3))return repairs.cased($3,part=>$2(part,$4,$5));",
  ],
  [
    "sed replaces from a match on, as in s/x/y/2g",
    /&&!\w\.global(\)\{let (\w)=0,(\w)=\w\.nthOccurrence,[^]{1,120}?if\(\2\+\+,\2===\3)(?=\)\{let \w=\w\.slice\(0,-2\);return \w+\((\w)\.replacement)/g,
    "$1||$4.global&&$2>$3",
  ],
  [
    "sed's a\\, i\\ and c\\ take what stands behind the backslash as it is",
    /(?<=readTextCommand\(\w,\w,\w\)\{)let \w=!1;this\.peek\(\)[^]{1,500}?(?=let \w="";for)/g,
    'let skip=()=>{for(;this.peek()===" "||this.peek()==="\\t";)this.advance()};skip();' +
      'if(this.peek()==="\\\\"){this.advance();let at=this.pos;skip();' +
      'if(this.peek()==="\\n")this.advance();else for(this.pos=at;!1;);}',
  ],
  [
    "date fails for time zones and days that it does not know",
    /(?<=let (\w)=\w\.env\.get\("TZ"\);)(?=\1&&!\w+\(\1\)&&\(\1=void 0\);let \w=(\w)\?"UTC")/g,
    "let problem=repairs.dateProblem(r,$2?void 0:$1);" +
      'if(problem!==null)return{stdout:"",stderr:`date: ${problem}\\n`,exitCode:1};',
  ],
  [
    "grep takes several -e",
    /(?<=if\((\w+)==="-e"&&(\w+)\+1<\w\.length\)\{)(\w)=(\w\[\+\+\2\])(?=;continue\}if\(\1\.startsWith\("--file="\))/g,
    '$3=($3===null?"":$3+"\\n")+$4',
  ],
  [
    "awk rounds towards zero",
    /(?<=async function \w+\(\w,\w,\w\)\{return \w\.length===0\?0:Math\.)floor(?=\()/g,
    "trunc",
  ],
  [
    "awk makes an element by naming it",
    /return (\w\.arrays\[\w\]\?\.\[(\w)\])\?\?""(?=\}function (\w+)\((\w),(\w),\2,\w\)\{)/g,
    'let found=$1;if(found===void 0)$3($4,$5,$2,"");return found??""',
  ],
  [
    "awk -v sets the variables that awk itself reads",
    /(\w)\.FS=\w,\1\.vars=Object\.assign\(Object\.create\(null\),(\w)\)/g,
    '$&;for(let name of["OFS","ORS","SUBSEP","OFMT"])if(name in $2)$1[name]=$2[name];$1.vars=$1.vars',
  ],
  [
    "or FS, and awk fails for records that are no lines",
    /(\w)=(\w+)\(\w\.slice\(2\)\),(\w)=(\w+)\(\1\),\w=\w\+1;else if\(\w==="-v"[^]{1,120}?let (\w)=\w\.slice\(0,\w\),(\w)=\2\([^{}]{1,30}\);(?=\w\[\5\]=\6\})/g,
    '$&if($5==="FS")$1=$6,$3=$4($6);if($5==="RS"&&$6!=="\\n")' +
      'return{stdout:"",stderr:"awk: RS cannot be set here: a line is a record\\n",exitCode:2};',
  ],
  [
    "also where a program sets RS",
    /(function \w+\(\w,(\w),(\w)\)\{switch\(\2\)\{)(?=case"FS":\w+\(\w,\w+\(\3\)\);return;case"OFS")/g,
    '$1case"RS":if($3!=="\\n")throw new Error("RS cannot be set here: a line is a record");return;',
  ],
];
