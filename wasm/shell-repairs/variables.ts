import type { Repair } from "./repair.ts";

/** Matches the code that splits a pattern at `|`; several functions contain it. */
const ALTERNATIVES =
  /(let (\w)=(\w)\[(\w)\];)(?=if\(\2==="\\\\"\)\{(\w)\+=\2,\4\+1<\3\.length\?\(\5\+=\3\[\4\+1\],\4\+=2\):\4\+\+;continue\}\2==="\("\?\(\w\+\+,\5\+=\2\):\2==="\)"\?\(\w--,\5\+=\2\):\2==="\|"&&)/g;

/** Patches of variables, lists and numbers in the interpreter, applied after its other patches. */
export const VARIABLE_REPAIRS: readonly Repair[] = [
  [
    "The key of an associative array may contain any expansion",
    /(async function \w+\((\w),(\w)\)\{let (\w)=\3,\w=\3\.startsWith\('"'\)[^]{1,160}?return \4;)(?=let \w="",\w=0;for\(;\w<\4\.length;\)if\(\4\[\w\]==="\$"\)[^]{1,900000}?async function (\w+)\(\w,\w,\w=!1\)\{if\(\w\.type==="ParameterExpansion"\)return[^]{1,900000}?repairs\.parseBraced\(new (\w+)\(\))/g,
    "$1if(/[$$`]/.test($4))return await $5($2,repairs.parseQuoted(new $6(),$4));",
  ],
  [
    "The key of an element may contain positional and special parameters",
    /\.replace\(\/\\\$\\\{\(\[a-zA-Z_\]\[a-zA-Z0-9_\]\*\)\\\}\/g,(\(\w,\w\)=>\w\.state\.env\.get\(\w\)\?\?"")\);return (\w)=\2\.replace\(\/\\\$\(\[a-zA-Z_\]\[a-zA-Z0-9_\]\*\)\/g,/g,
    ".replace(/\\$\\{([a-zA-Z_]\\w*|\\d+|[#?])\\}/g,$1);return $2=$2.replace(/\\$([a-zA-Z_]\\w*|[\\d#?])/g,",
  ],
  [
    "A name reference to an empty array falls back to the value of its target",
    /function (\w+)\((\w),(\w)\)\{return \3==="FUNCNAME"\?\(\2\.state\.funcNameStack[^]+/g,
    (code) => {
      const [, elements = ""] = /^function (\w+)/.exec(code) ?? [];
      const fallback = new RegExp(
        `(\\b${elements}\\((\\w),(\\w)\\)[^]{1,200}?\\2\\.state\\.env\\.(?:get|has)\\()\\3\\)`,
        "g",
      );
      return code.replace(fallback, "$1repairs.resolveReference($2.state,$3))");
    },
  ],
  [
    "An expansion in arithmetic may yield operators, or the digits after a base; a command substitution, any text",
    /(function (\w+)\(\w,(\w)\)\{let (\w)=repairs\.withoutQuotes\(\3\)),(\{expr:\w,pos:\w\}=[^]{1,100}?if\(\w<\4\.length\)\{)([^]{1,900000}?case"ArithNested":return await (\w)\([^]{1,900}?)(?=case"ArithBracedExpansion":return await \w+\((\w),await (\w+)\(\8,repairs\.parseBraced\(new (\w+)\(\),(\w)\.content\)\))/g,
    '$1,own={type:"ArithmeticExpression",originalText:$3,expression:{type:"ArithText",text:$4}};if(/\\d#\\$|\\$\\((?!\\()|`/.test($4))return own;let$5' +
      'if($4.includes("$"))return own;$6' +
      'case"ArithText":{let own=$2(new $10(),await $9($8,repairs.parseQuoted(new $10(),$11.text))).expression;' +
      'return await $7(own.type==="ArithText"?{type:"ArithSyntaxError",errorToken:own.text,message:`${own.text}: syntax error`}:own)}',
  ],
  [
    "Keys and values of a list are not split into words",
    /(repairs\.listAssignmentText\(\w,\w+=>\w+\((\w),\w+\))(?=\)[^]{1,3000}?await (\w+)\(\2,\{type:"Word",parts:\[\w\]\}\);\w\(\w\)\}\(\w\|\|\w\)&&\w\(\))/g,
    "$1,word=>$3($2,word)",
  ],
  [
    "A list with keys is parsed with its quotes and escapes",
    /(function \w+\((\w),\w\)\{if\(\w&&\w+\(\2\)>\w\.maxStringBytes\)throw new \w+\([^;]{1,140}\);)(?=let \w=\[\],\w=0;for\(;\w<\2\.length;\)\{for\(;\w<\2\.length&&\/\\s\/\.test\(\2\[\w\]\);\)\w\+\+;if\(\w>=\2\.length\)break;if\(\2\[\w\]!=="\["\))/g,
    "$1return repairs.parsePairs($2);",
  ],
  [
    "printf formats integers of 64 bits, and counts the bytes of texts",
    /(function \w+\((\w),(\w),(\w),\w\)\{)(?=let \w=!1,\w="";switch\(\3\)\{case"d":case"i":)/g,
    '$1let own=repairs.formatInteger($2,$3,$4)??repairs.formatBytes($2,$3,$4);if(own!==void 0)return{value:own,parseError:!1,parseErrMsg:""};',
  ],
  [
    "printf reports an invalid number in a floating-point conversion",
    /(let (\w)=parseFloat\((\w)\))\|\|0(;return\{value:\w+\(\w,\w,\2)\),parseError:!1,parseErrMsg:""/g,
    '$1;if(Number.isNaN($2))$2=0$4,$3),parseError:repairs.isInvalidNumber($3),parseErrMsg:repairs.isInvalidNumber($3)?`printf: ${$3}: invalid number\\n`:""',
  ],
  [
    "getopts restarts if OPTIND is local to a function",
    /let \w=Number\.parseInt\((\w)\.state\.env\.get\("OPTIND"\)\|\|"1",10\);/g,
    '$1.state.env.has("OPTIND")||$1.state.env.set("OPTIND","1");$&',
  ],
  [
    "The word of an expansion inherits the quotes or here-document around it: $'…' and ~ are literal there",
    /if\((\w)==="\$"&&(\w)\[(\w)\+1\]==="'"\)(\{\w\(\);let\{part:\w,endIndex:\w\}=\w+\(\w,\2,\3\+2\);[^{}]{1,60}continue\}if\(\1==="\$"\)\{\w\(\);let\{part:\w,endIndex:\w\}=\w+\(\w,\2,\3)(\);[^]{1,400}?&&!(\w)&&!(\w)\)\{[^]{1,160}?if\(\1==="~"&&!\w)\)/g,
    'if($1==="$$"&&$2[$3+1]==="\'"&&!$6)$4,$6||$7$5&&!$7)',
  ],
  [
    "printf rounds like C, as bash does from the text of the number",
    /(function \w+\((\w),(\w),(\w))(\)\{)(?=let \w=\2\.match\(\/\^%\(\[- \+#0'\]\*\)\(\\d\*\)\(\\\.\(\\d\*\)\)\?\[eEfFgG\]\$\/\);)/g,
    '$1,text=""$5return repairs.formatFloat({conversion:$2,letter:$3,text},$4);',
  ],
  [
    "A bar in a bracket expression does not separate the alternatives of a pattern",
    new RegExp(`${ALTERNATIVES.source}[^]+`, "g"),
    (code) =>
      code.replace(
        ALTERNATIVES,
        "$1let own=repairs.bracketLengthAt($3,$4);if(own>0){$5+=$3.slice($4,$4+own),$4+=own;continue}",
      ),
  ],
  [
    "A bar in a bracket expression does not separate alternatives where quotes may occur",
    /(if\(\w\)\{(\w)\+=(\w),(\w)\+\+;continue\})(?=if\(\3==="\\\\"\)\{\2\+=\3,\4\+1<(\w)\.length\?\(\2\+=\5\[\4\+1\],\4\+=2\):\4\+\+;continue\}\3==="\("\?)/g,
    "$1let own=repairs.bracketLengthAt($5,$4);if(own>0){$2+=$5.slice($4,$4+own),$4+=own;continue}",
  ],
  [
    "Setting an array element does not iterate over all others",
    /(\w)(\.elements\.set\((\w),\w\)\}function \w+\(\w,\w,\w,\w=!1\)\{)let (\w)=new Set\((\w)\?\[\]:(\w+\(\w,\w\))\?\.elements\.keys\(\)\?\?\[\]\);for\(let (\w) of (\w)\)if\(\4\.add\(String\(\7\)\),\4\.size>/g,
    "repairs.indexElement($1.elements,$3),$1$2let own=$5?void 0:$6?.elements,$4={size:own?.size??0};" +
      "for(let $7 of $8)if(own?.has(String($7))||$4.size++,$4.size>",
  ],
  [
    "Sorted indices of an array are cached",
    /return Array\.from\((\w+\(\w,\w\)\?\.elements)\.keys\(\)\?\?\[\]\)\.filter\(\w=>\/\^\(0\|\[1-9\]\\d\*\)\$\/\.test\(\w\)\)\.map\(Number\)\.sort\(\(\w,\w\)=>\w-\w\)/g,
    "return repairs.sortedIndices($1)",
  ],
  [
    "Removing an element discards the cached indices",
    /return (\w+\(\w,\w\)\?\.elements)(\.delete\(String\(\w\)\)\?\?!1)/g,
    "return repairs.dropIndices($1)?$2",
  ],
  [
    "Clearing an array discards the cached indices",
    /(?<=\{)(\w?\$?\w+\(\w,\w,\w\.state\.associativeArrays\?\.has\(\w\)\?"associative":"indexed"\)\.elements)(?=\.clear\(\)\})/g,
    "repairs.dropIndices($1)",
  ],
  [
    "Appended words follow the last index of the array",
    /let (\w)=\w+\((\w),(\w)\);if\(\1\.length>0\)(\w)=Math\.max\(\.\.\.\1\.map\(\(\[(\w)\]\)=>typeof \5=="number"\?\5:0\)\)\+1;else(?=\{let \w=\2\.state\.env\.get\()/g,
    "let $1=repairs.sortedIndices(repairs.arrayOf($2.state,$3)?.elements);if($1.length>0)$4=$1.at(-1)+1;else",
  ],
  [
    "${v//%/x} and ${v//#/x} replace these characters; only behind a single slash do they mean the end and the start",
    /(let (\w)=\w==="\/";\w\+=\2\?2:1;let \w=null;)(\w\[\w\]==="#"\?\(\w="start",\w\+\+\):\w\[\w\]==="%"&&\(\w="end",\w\+\+\))/g,
    "$1$2||($3)",
  ],
  [
    "[[ ]] reports numbers and expressions that it cannot calculate",
    /\|0\[0-7\]\+\|\\d\+(\)\$\/\.test\(\w\)\)return \w+\(\w\);)try\{(let \w=new \w+,\w=\w+\(\w,\w\);return await \w+\(\w,\w\.expression\))\}catch\{return \w+\(\w\)\}/g,
    "|0[0-7]*|[1-9]\\d*$1$2",
  ],
  [
    "BASH exists, and $! is empty before the first job",
    /(?=case"UID":)([^]{1,400}?case"!":return )String\((\w\.state\.lastBackgroundPid)\)/g,
    'case"BASH":return"/bin/bash";$1String($2||"")',
  ],
  [
    "declare prints the variables that have the given attributes",
    /if\((\w)&&(\w)\.length>0\)return [$\w]+\((\w),\2\);if\(\1&&\2\.length===0\)return \w+\(\3,\{filterExport:(\w),filterReadonly:(\w),filterNameref:(\w),filterIndexedArray:(\w),filterAssocArray:(\w)\}\);if[^;]+;if[^;]+;(?=if\(\2\.length===0&&!\1\)return)/g,
    'if($1||$2.length===0){let own=[$4&&"x",$5&&"r",$6&&"n",$7&&"a",$8&&"A",d&&"i",p&&"l",h&&"u"].filter(Boolean).join("");if($1||own)return repairs.declared($3.state,$2,own)}',
  ],
  [
    "${v@A} names the attributes of a variable; with [@], it holds the whole list",
    /(let (\w)=\w\.match\([^;]{1,60}?;if\(\2&&\w\.operator==="Q"\)[^]{1,600}?case"A":return )(\w)\?"":`\$\{(\w)\}=(\$\{\w+\(\w\)\})`/g,
    '$1$2?repairs.declaration(e.state,$2[1])??"":$3?"":repairs.assignmentText(e.state,$4)+`$5`',
  ],
  [
    "${v@a} gives all attributes",
    /(function \w+\((\w),(\w)\)\{if\(![^]{1,40}\.test\(\3\)\)return"";)let \w="",\w=\w+\(\2,\3\)\?\.kind==="indexed"[^{}]+\}/g,
    "$1return repairs.attributesOf($2.state,$3)}",
  ],
  [
    "The attributes of a list hold for its elements, and those of a local variable for its function",
    /async function \w+\(\w,\w\)\{try\{let \w=new \w+,\w=\w+\(\w,\w\),\w=await \w+\(\w,\w\.expression\);return String\(\w\)\}catch\{return"0"\}\}[^]+/g,
    (code) => {
      const [, calculate = ""] = /^async function (\w+)/.exec(code) ?? [];
      const [, declare = ""] = /==="typeset"\)return (\w+)\(/.exec(code) ?? [];
      const edits: readonly (readonly [RegExp, string])[] = [
        [
          new RegExp(`return ${declare}\\((\\w),(\\w)\\)`, "g"),
          `return repairs.withAttributes($1.state,$2,{run:()=>${declare}($1,$2),calculate:own=>${calculate}($1,own)})`,
        ],
        [/(throw \w\(\),\w\})(?=if\(t\.name\)\{)/g, `$1await repairs.settleList(e.state,n,own=>${calculate}(e,own));`],
        [
          /let (\w)=(\w)\?(\w+\((\w),(\w+\(\4,(\w),\w\)\|\|""),(\w)\)):\7;(?=return \w\.name\|\|)/g,
          `let $1=await repairs.settled($4.state,[$6,$2?repairs.addedTo($4.state,$6,[$5,$7])??$3:$7],own=>${calculate}($4,own));`,
        ],
      ];
      return edits.reduce((text, [code, instead]) => {
        if (!code.test(text)) throw new Error("just-bash has changed: assignments to lists");
        return text.replace(code, instead);
      }, code);
    },
  ],
  [
    "Appending does not copy the array",
    /(async function \w+\(\w,\w,\w,\w,(\w),\w\)\{let \w="";if\(\/\\\[\.\+\\\]\$\/\.test\(\w\)\)return[^]{1,1500}?,\w=(\w)\?)(\w+\(\3\))(?=:void 0,)/g,
    "$1$2?$3:$4",
  ],
];
