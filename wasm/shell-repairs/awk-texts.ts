import type { Repair } from "./repair.ts";

/** Patches of how awk counts and replaces characters, applied after its other patches. */
export const AWK_TEXT_REPAIRS: readonly Repair[] = [
  [
    "length and substr count characters",
    /(async function \w+\((\w),(\w),(\w)\)\{[^{}]{0,120}?return \2\.length===0\?)(\3\.line)\.length:(\w+\(await \4\.evalExpr\(\2\[0\]\)\))\.length(\}async function \w+\(\w,\w,(\w)\)\{[^]{1,90}?,\w=)Math\.floor\((\w+\(await \8\.evalExpr\(\w\[1\]\)\))\)-1(;if\(\w\.length>=3\)\{let \w=)Math\.floor\((\w+\(await \8\.evalExpr\(\w\[2\]\)\))\);return (\w)\.substr\(Math\.max\(0,(\w)\),(\w)\)\}return \w\.substr\(Math\.max\(0,\w\)\)/g,
    "$1repairs.characterCount($5):repairs.characterCount($6)$7$9$10$11;return repairs.substring($12,$13,$14)}return repairs.substring($12,$13)",
  ],
  [
    "index counts characters",
    /(let (\w)=\w+\(await \w\.evalExpr\(\w\[0\]\)\),\w=\w+\(await \w\.evalExpr\(\w\[1\]\)\),(\w)=\2\.indexOf\(\w\);return \3===-1\?0:)\3\+1/g,
    "$1repairs.positionOf($2,$3)",
  ],
  [
    "match counts characters, and its array holds where the groups are",
    /(let (\w)=\w+\(await \w\.evalExpr\(\w\[0\]\)\),(\w)=await [^;]{1,40};try\{let (\w)=repairs\.awkRegex\([^;]{1,30},\3)(\)\.exec\(\2\);if\(repairs\.fillMatchGroups\(\w,)(\w\[2\])(,\4\),\4\)return (\w)\.RSTART=)\4\.index\+1,\8\.RLENGTH=\4\[0\]\.length/g,
    '$1,$6?"d":""$5$6$7repairs.positionOf($2,$4.index),$8.RLENGTH=repairs.characterCount($4[0])',
  ],
  [
    "split by nothing separates characters",
    /(repairs\.splitWords\((\w)\):)typeof (\w)=="string"\?\2\.split\(\3,/g,
    '$1$3===""?[...$2]:typeof $3=="string"?$2.split($3,',
  ],
  [
    "A backslash in the replacement of sub and gsub counts only before &",
    /(function \w+\((\w),(\w),\w\)\{)let \w=\w+\(\w\),\w=0;for\(;\w<\2\.length;\)if\(\2\[\w\]==="\\\\"&&\w\+1<\2\.length\)\{let (\w)=\2\[\w\+1\];\4==="&"\?[^]{1,60}?:\4==="\\\\"[^]{1,260}?return \w\.build\(\)(?=\}async function)/g,
    "$1return repairs.replacementOf($2,$3)",
  ],
  [
    "Nothing is matched right behind a match",
    /(for\(let (\w) of \w\.matchAll\(\w\)\)\{let (\w)=\2\.index\?\?0;)(?=(\w)\+\+,\w\.append\(\w\.slice\((\w),\3\)\))/g,
    '$1if($2[0]===""&&$4>0&&$3===$5)continue;',
  ],
  [
    "gensub drops a backslash before a letter",
    /(\w)==="n"\?\((\w)\.append\(`\n`\),(\w)\+=2\):\1==="t"\?\(\2\.append\("\s"\),\3\+=2\):(?=\(\2\.append\(\1\),\3\+=2\)\}else)/g,
    "",
  ],
  [
    "An empty match does not separate the units of a character",
    /(yield (\w),\2\[0\]\.length===0&&)this\._regex\.lastIndex\+\+(?=,\2=this\._regex\.exec\((\w)\))/g,
    "$1(this._regex.lastIndex+=$3.codePointAt($2.index)>65535?2:1)",
  ],
];
