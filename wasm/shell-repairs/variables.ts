import type { Repair } from "./repair.ts";

/** Matches the code that splits a pattern at `|`; several functions contain it. */
const ALTERNATIVES =
  /(let (\w)=(\w)\[(\w)\];)(?=if\(\2==="\\\\"\)\{(\w)\+=\2,\4\+1<\3\.length\?\(\5\+=\3\[\4\+1\],\4\+=2\):\4\+\+;continue\}\2==="\("\?\(\w\+\+,\5\+=\2\):\2==="\)"\?\(\w--,\5\+=\2\):\2==="\|"&&)/g;

/** Patches of variables, lists and numbers in the interpreter, applied after its other patches. */
export const VARIABLE_REPAIRS: readonly Repair[] = [
  [
    "a key may be any expansion",
    /(async function \w+\((\w),(\w)\)\{let (\w)=\3,\w=\3\.startsWith\('"'\)[^]{1,160}?return \4;)(?=let \w="",\w=0;for\(;\w<\4\.length;\)if\(\4\[\w\]==="\$"\)[^]{1,900000}?async function (\w+)\(\w,\w,\w=!1\)\{if\(\w\.type==="ParameterExpansion"\)return[^]{1,900000}?repairs\.braced\(new (\w+)\(\))/g,
    "$1if(/[$$`]/.test($4))return await $5($2,repairs.quotedText(new $6(),$4));",
  ],
  [
    "also that of an element that is asked for",
    /\.replace\(\/\\\$\\\{\(\[a-zA-Z_\]\[a-zA-Z0-9_\]\*\)\\\}\/g,(\(\w,\w\)=>\w\.state\.env\.get\(\w\)\?\?"")\);return (\w)=\2\.replace\(\/\\\$\(\[a-zA-Z_\]\[a-zA-Z0-9_\]\*\)\/g,/g,
    ".replace(/\\$\\{([a-zA-Z_]\\w*|\\d+|[#?])\\}/g,$1);return $2=$2.replace(/\\$([a-zA-Z_]\\w*|[\\d#?])/g,",
  ],
  [
    "a reference to a list that is empty is no text",
    /function (\w+)\((\w),(\w)\)\{return \3==="FUNCNAME"\?\(\2\.state\.funcNameStack[^]+/g,
    (code) => {
      const [, elements = ""] = /^function (\w+)/.exec(code) ?? [];
      const fallback = new RegExp(
        `(\\b${elements}\\((\\w),(\\w)\\)[^]{1,200}?\\2\\.state\\.env\\.(?:get|has)\\()\\3\\)`,
        "g",
      );
      return code.replace(fallback, "$1repairs.referred($2.state,$3))");
    },
  ],
  [
    "what $ stands for in an expression may be operators, and the digits behind a base",
    /(function (\w+)\(\w,(\w)\)\{let (\w)=repairs\.withoutQuotes\(\3\)),(\{expr:\w,pos:\w\}=[^]{1,100}?if\(\w<\4\.length\)\{)([^]{1,900000}?case"ArithNested":return await (\w)\([^]{1,900}?)(?=case"ArithBracedExpansion":return await \w+\((\w),await (\w+)\(\8,repairs\.braced\(new (\w+)\(\),(\w)\.content\)\))/g,
    '$1,own={type:"ArithmeticExpression",originalText:$3,expression:{type:"ArithText",text:$4}};if(/\\d#\\$/.test($4))return own;let$5' +
      'if($4.includes("$"))return own;$6' +
      'case"ArithText":{let own=$2(new $10(),await $9($8,repairs.quotedText(new $10(),$11.text))).expression;' +
      'return await $7(own.type==="ArithText"?{type:"ArithSyntaxError",errorToken:own.text,message:`${own.text}: syntax error`}:own)}',
  ],
  [
    "what is listed with keys is taken as it was written",
    /(repairs\.listText\(\w,\w+=>\w+\((\w),\w+\))(?=\)[^]{1,3000}?await (\w+)\(\2,\{type:"Word",parts:\[\w\]\}\);\w\(\w\)\}\(\w\|\|\w\)&&\w\(\))/g,
    "$1,word=>$3($2,word)",
  ],
  [
    "and read so",
    /(function \w+\((\w),\w\)\{if\(\w&&\w+\(\2\)>\w\.maxStringBytes\)throw new \w+\([^;]{1,140}\);)(?=let \w=\[\],\w=0;for\(;\w<\2\.length;\)\{for\(;\w<\2\.length&&\/\\s\/\.test\(\2\[\w\]\);\)\w\+\+;if\(\w>=\2\.length\)break;if\(\2\[\w\]!=="\["\))/g,
    "$1return repairs.pairsOf($2);",
  ],
  [
    "printf writes whole numbers of 64 bits",
    /(function \w+\((\w),(\w),(\w),\w\)\{)(?=let \w=!1,\w="";switch\(\3\)\{case"d":case"i":)/g,
    '$1let own=repairs.wholeNumber($2,$3,$4);if(own!==void 0)return{value:own,parseError:!1,parseErrMsg:""};',
  ],
  [
    "and complains of what is no number where it writes others",
    /(let (\w)=parseFloat\((\w)\))\|\|0(;return\{value:\w+\(\w,\w,\2\),parseError:)!1,parseErrMsg:""/g,
    '$1;if(Number.isNaN($2))$2=0$4repairs.isNoNumber($3),parseErrMsg:repairs.isNoNumber($3)?`printf: ${$3}: invalid number\\n`:""',
  ],
  [
    "getopts begins anew where OPTIND is a function's own",
    /let \w=Number\.parseInt\((\w)\.state\.env\.get\("OPTIND"\)\|\|"1",10\);/g,
    '$1.state.env.has("OPTIND")||$1.state.env.set("OPTIND","1");$&',
  ],
  [
    "what stands for nothing within quotes or a here-document has neither ~ nor quotes of its own",
    /if\((\w)==="\$"&&(\w)\[(\w)\+1\]==="'"\)(\{\w\(\);let\{part:\w,endIndex:\w\}=\w+\(\w,\2,\3\+2\);[^{}]{1,60}continue\}if\(\1==="\$"\)\{\w\(\);let\{part:\w,endIndex:\w\}=\w+\(\w,\2,\3)(\);[^]{1,400}?&&!(\w)&&!(\w)\)\{[^]{1,160}?if\(\1==="~"&&!\w)\)/g,
    'if($1==="$$"&&$2[$3+1]==="\'"&&!$6)$4,$6||$7$5&&!$7)',
  ],
  [
    "printf rounds as C does",
    /(function \w+\((\w),(\w),(\w)\)\{)(?=let \w=\2\.match\(\/\^%\(\[- \+#0'\]\*\)\(\\d\*\)\(\\\.\(\\d\*\)\)\?\[eEfFgG\]\$\/\);)/g,
    "$1return repairs.realNumber($2,$3,$4);",
  ],
  [
    "a bar in brackets parts no alternatives of a pattern",
    new RegExp(`${ALTERNATIVES.source}[^]+`, "g"),
    (code) =>
      code.replace(
        ALTERNATIVES,
        "$1let own=repairs.bracketsAt($3,$4);if(own>0){$5+=$3.slice($4,$4+own),$4+=own;continue}",
      ),
  ],
  [
    "whether there may be quotes",
    /(if\(\w\)\{(\w)\+=(\w),(\w)\+\+;continue\})(?=if\(\3==="\\\\"\)\{\2\+=\3,\4\+1<(\w)\.length\?\(\2\+=\5\[\4\+1\],\4\+=2\):\4\+\+;continue\}\3==="\("\?)/g,
    "$1let own=repairs.bracketsAt($5,$4);if(own>0){$2+=$5.slice($4,$4+own),$4+=own;continue}",
  ],
  [
    "an element is added to a list without looking at all others",
    /(\w)(\.elements\.set\((\w),\w\)\}function \w+\(\w,\w,\w,\w=!1\)\{)let (\w)=new Set\((\w)\?\[\]:(\w+\(\w,\w\))\?\.elements\.keys\(\)\?\?\[\]\);for\(let (\w) of (\w)\)if\(\4\.add\(String\(\7\)\),\4\.size>/g,
    "repairs.adding($1.elements,$3),$1$2let own=$5?void 0:$6?.elements,$4={size:own?.size??0};" +
      "for(let $7 of $8)if(own?.has(String($7))||$4.size++,$4.size>",
  ],
  [
    "the numbers of its elements are kept in order",
    /return Array\.from\((\w+\(\w,\w\)\?\.elements)\.keys\(\)\?\?\[\]\)\.filter\(\w=>\/\^\(0\|\[1-9\]\\d\*\)\$\/\.test\(\w\)\)\.map\(Number\)\.sort\(\(\w,\w\)=>\w-\w\)/g,
    "return repairs.indicesOf($1)",
  ],
  [
    "until one is taken away",
    /return (\w+\(\w,\w\)\?\.elements)(\.delete\(String\(\w\)\)\?\?!1)/g,
    "return repairs.forgetting($1)?$2",
  ],
  [
    "or all",
    /(?<=\{)(\w?\$?\w+\(\w,\w,\w\.state\.associativeArrays\?\.has\(\w\)\?"associative":"indexed"\)\.elements)(?=\.clear\(\)\})/g,
    "repairs.forgetting($1)",
  ],
  [
    "words that are added to a list stand behind its last one",
    /let (\w)=\w+\((\w),(\w)\);if\(\1\.length>0\)(\w)=Math\.max\(\.\.\.\1\.map\(\(\[(\w)\]\)=>typeof \5=="number"\?\5:0\)\)\+1;else(?=\{let \w=\2\.state\.env\.get\()/g,
    "let $1=repairs.indicesOf(repairs.arrayOf($2.state,$3)?.elements);if($1.length>0)$4=$1.at(-1)+1;else",
  ],
  [
    "and the list is not copied before",
    /(async function \w+\(\w,\w,\w,\w,(\w),\w\)\{let \w="";if\(\/\\\[\.\+\\\]\$\/\.test\(\w\)\)return[^]{1,1500}?,\w=(\w)\?)(\w+\(\3\))(?=:void 0,)/g,
    "$1$2?$3:$4",
  ],
];
