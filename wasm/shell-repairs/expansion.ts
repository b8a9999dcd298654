import type { Repair } from "./repair.ts";

/** Patches of expansions, applied after the patches of variables. */
export const EXPANSION_REPAIRS: readonly Repair[] = [
  [
    "FUNCNAME, BASH_LINENO and BASH_SOURCE are lists whose last element is the script's frame",
    /(function \w+\((\w),(\w)\)\{return )\3==="FUNCNAME"\?[^]{1,240}?:(\2\.state\.associativeArrays[^]{1,160}?function \w+\((\w),(\w)\)\{return )\6==="FUNCNAME"\?[^]{1,240}?:(?=\5\.state\.associativeArrays)/g,
    "$1repairs.isFrames($3)?repairs.frames($2.state,$3).map((one,at)=>[at,one]):$4repairs.isFrames($6)?repairs.frames($5.state,$6).length>0:",
  ],
  [
    "An index of these lists may be an expression",
    /if\((\w)==="FUNCNAME"\)\{let \w=Number\.parseInt\((\w),10\);[^]+?==="BASH_SOURCE"\)\{[^{}]+\}(?=if\((\w)\.state\.associativeArrays[^]{1,160}?if\(\w===void 0(&&\w&&\w\.state\.options\.nounset\)throw new \w+\(`\$\{\w\}\[\$\{\w\}\]`\);)[^]{1,200}?let \w=new (\w+),\w=(\w+)\(\w,\2\);\w=await (\w+)\(\3,\w\.expression\))/g,
    'if(repairs.isFrames($1)){let own=repairs.frames($3.state,$1).at(await $7($3,$6(new $5,$2).expression));if(own===void 0$4return own??""}',
  ],
  [
    "An element of these lists is set if there are as many calls",
    /(async function \w+\((\w),\w\)\{if\(new Set\(\["\?"[^]{1,700}?)(?=if\((\w)==="@"\|\|\3==="\*"\)return \w+\(\2,(\w)\)\.length>0[^]{1,300}?let \w=new (\w+),\w=(\w+)\(\w,\3\);\w=await (\w+)\(\2,\w\.expression\))/g,
    "$1if(repairs.isFrames($4)&&!/^[@*]$$/.test($3))return repairs.frames($2.state,$4).at(await $7($2,$6(new $5,$3).expression))!==void 0;",
  ],
  [
    "BASH_SOURCE of a function outside of files is environment",
    /\.currentSource\?\?"main"(?=\};)/g,
    '.currentSource??"environment"',
  ],
  [
    "An unquoted & in the replacement of ${v/…/…} stands for the match",
    /(\("bash:expansion:pattern_replacement"\)[^]{1,700}?let \w=(\w)\.replacement\?await )(\w)\((\w),\2\.replacement\.parts\)/g,
    "$1repairs.replacementText($4.state,$2.replacement.parts,own=>$3($4,own))",
  ],
  [
    "The match is inserted into the replacement",
    /("pattern replacement",\(\)=>[^]{1,500}?let \w=0,(\w)=\w\.exec\(\w\);[^]{1,300}?\.append\()(\w)(?=\),\w=\2\.index\+)/g,
    "$1repairs.withMatch($3,$2[0])",
  ],
  [
    "shopt patsub_replacement is known, and set at first",
    /("nocasematch","nullglob",)("xpg_echo"\];[^]+?"expand_aliases","lastpipe",)("xpg_echo"\],[^]+?shoptOptions:\{)(?=extglob:!1)/g,
    '$1"patsub_replacement",$2"patsub_replacement",$3patsub_replacement:!0,',
  ],
  [
    "A word that becomes one text, as in an assignment, changes each element of a list, too",
    /(async function \w+\((\w),(\w)\)\{)return (\w+)\(\2,\3\)\}(?=async function \w+\(\w,\w\)\{let \w=\[\];for\(let \w of \w\.parts\)if\(\w\.type==="Escaped"\)[^]+?async function (\w+)\(\w,\w\)\{let changed=await repairs\.expandElementwise)/g,
    "$1return repairs.whole(await repairs.expandChanged($2.state,$3,{expand:word=>$5($2,word),finish:word=>$4($2,word)})??await $4($2,$3))}",
  ],
  [
    "$'…' may contain single bytes and characters beyond U+FFFF",
    /(function \w+\(\w,(\w),(\w)\)\{)let (\w)="",\w=\3;for\(;\w<\2\.length&&\2\[\w\]!=="'";\)[^]{1,2200}?return \w<\2\.length&&\2\[\w\]==="'"&&\w\+\+,\{part:(\w+)\.literal\(\4\),endIndex:\w\}/g,
    "$1let own=repairs.ansiQuoted($2,$3);return{part:$5.literal(own.value),endIndex:own.end}",
  ],
  [
    "A command substitution drops NUL characters",
    /(?<=let \w=)(\w\.stdout)(\.replace\(\/\\n\+\$\/,""\);return \w+\(\w,(\w)\.limits\.maxStringLength,"command substitution"\),\w\}catch\(\w\)\{if\(\3\.state\.env=)/g,
    "repairs.withoutNul($3.state,$1)$2",
  ],
  [
    "All commands have a line number",
    /(?<=parseCommand\(\)\{)if\(this\.currentTokenJoinsProcessSubstitution\(\)\)/g,
    "let{line}=this.current(),own=this.parseWithoutLine();own.line??=line;return own}parseWithoutLine(){$&",
  ],
  [
    "${v@Q} quotes like bash",
    /(function \w+\((\w)\)\{)if\(\2===""\)return"''";if\(\/\[\\n\\r\\t\\x00-\\x1f\\x7f'\]\/\.test\(\2\)\)[^]{1,500}?return`'\$\{\2\}'`\}/g,
    "$1return repairs.quoted($2)}",
  ],
  [
    "printf %q quotes like bash",
    /(function \w+\(\w,\w,(\w)\)\{let (\w)=)\w+\(\w,\2\)(,\w=\w\.match\(\/\^%\(-\?\)\(\\d\*\)q\$\/\);if\(!\w\)return \3;)/g,
    "$1repairs.backslashed(t)$4",
  ],
  [
    "A pattern that matches no file is not split into words at quoted spaces",
    /(return\{values:\w,quoted:!1\};if\((\w)\.length===0\)return\{values:\[\],quoted:!1\}\}let (\w)=\w+\(\w\);)if\(!\w+\(\w\.state\.env\)\)\{let \2=[^{}]{1,40};return\{values:\w+\(\3,\2,\w\.limits\.maxArrayElements\),quoted:!1\}\}/g,
    "$1",
  ],
  [
    "source has a frame of its own",
    /(let (\w)=)(\w)\.state\.currentSource(,\w=\(\)=>\{if\(\3\.state\.sourceDepth--,)\3\.state\.currentSource=\2,([^]{1,600}?)\3\.state\.currentSource=(\w);/g,
    "$1()=>{}$4$2(),$5$2=repairs.enterSource($3.state,$6);",
  ],
  [
    "FUNCNAME is empty outside of functions",
    /(case"FUNCNAME":\{let \w=)(\w)\.state\.funcNameStack\?\.\[0\](?=;if\(\w!==void 0\)return \w;)/g,
    '$1repairs.frames($2.state,"FUNCNAME")[0]',
  ],
  [
    "Quoted characters beside an unquoted expansion are no pattern",
    /(\w=await \w\.smartWordSplit\(\w,\w,(\w),\w,)(\w\.expandPart)\);return (\w+)\((\w),(\w)\)/g,
    "$1repairs.asPatterns($3,$2));return repairs.matchEach($6,own=>$4($5,own))",
  ],
  [
    "A pattern that is itself the name of one of several matching files is replaced by all of them",
    /(\w)(\.length>0&&)\1\[0\](!==[^]{1,600}?)(\w)(\.length>0&&)\4\[0\](?=!==\w\))/g,
    "$1$2($1[1]??$1[0])$3$4$5($4[1]??$4[0])",
  ],
];
