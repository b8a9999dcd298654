import type { Repair } from "./repair.ts";

/** Patches of the parser and of what prints its trees. */
export const PARSER_REPAIRS: readonly Repair[] = [
  [
    "<<< in a substitution within quotes is no here-document",
    /(==="<"&&(\w)\[(\w)\+1\]==="<"&&\2\[\3\+2\]!=="<")(?=\)\{[^]{1,200}?unclosedSubstitution:\w\}=\w+\(\2,\w\);if\(\w\)throw)/g,
    '$1&&$2[$3-1]!=="<"',
  ],
  [
    "<<< in a substitution is no here-document",
    /(==="<"&&(\w)\[(\w)\+1\]==="<"&&\2\[\3\+2\]!=="<")(?=\)\{[^]{1,200}?unclosedSubstitution:\w\}=\w+\(\2,\w\);if\(\w&&)/g,
    '$1&&$2[$3-1]!=="<"',
  ],
  [
    "A pattern of case may look like an assignment",
    /(for\(;)(\w)\.isWord\(\)(?=&&\(\w\.push\(\2\.parseWord\(\)\),\2\.check\((\w)\.PIPE\)\);\)\2\.advance)/g,
    "$1($2.isWord()||$2.check($3.ASSIGNMENT_WORD))",
  ],
  [
    "The word of case may look like an assignment",
    /(\w)\.expect\((\w)\.CASE\),(?=\1\.isWord\(\)\|\|\1\.error\("Expected word after 'case'"\))/g,
    "$&$1.check($2.ASSIGNMENT_WORD)||",
  ],
  [
    "Arithmetic that contains substitutions is printed as it was written",
    /case"ArithSyntaxError":return (\w)\.errorToken;/g,
    '$&case"ArithText":return $1.text;',
  ],
  [
    "The words of a for loop may look like assignments",
    /(!(\w)\.check\((\w)\.SEMICOLON,\3\.NEWLINE,\3\.DO,\3\.EOF\)&&)\2\.isWord\(\)(?=;\)\w\.push\(\2\.parseWord\(\)\))/g,
    "$1($2.isWord()||$2.check($3.ASSIGNMENT_WORD))",
  ],
  [
    "A clause of case may begin with a subshell",
    /,(\w)\.check\((\w)\.LPAREN\)&&\1\.peek\(1\)\.type===\2\.WORD&&\1\.error\(`[^`]{1,40}\\`\$\{\1\.peek\(1\)\.value\}'`\)/g,
    "",
  ],
  [
    "Within ${…}, a brace without a dollar sign is a plain character",
    /(\w)==="\{"\?(\w)\+\+:(?=\1==="\}"&&\2--,\1===`\n`[^]{1,80}\}if\(\w\)throw)/g,
    '$1==="{"&&s[o-1]==="$"?$2++:',
  ],
  [
    "Within ${…} in a substitution, a brace without a dollar sign is a plain character",
    /(\w)==="\{"\?(\w)\+\+:(?=\1==="\}"&&\2--,\1===`\n`[^]{1,60}\}\w="";continue)/g,
    '$1==="{"&&s[o-1]==="$"?$2++:',
  ],
  [
    "The word of ${…} ends at the first brace that no dollar sign opens",
    /(\w)==="\{"(\?\w\+\+:\1==="\}"&&\w--,\w>0&&(\w)\+\+\}return \3\}function)/g,
    '$1==="{"&&t[$3-1]==="$"$2',
  ],
  [
    "A # within the pattern of [[ =~ ]] begins no comment",
    /(if\((\w)==="#"&&this\.dparenDepth===0)(\)return this\.readComment\((\w),)/g,
    "$1&&repairs.isComment(this.tokens,$4)$3",
  ],
  [
    "${!} is the last job",
    /(\w)\[(\w)\]==="!"(?=&&\(\w=!0,\2\+\+\);let \w=!1;\1\[\2\]==="#")/g,
    '$&&&!/[}:]/.test($1[$2+1]??"")',
  ],
  [
    "select is parsed as for, whose words are chosen by the input",
    /let (\w)=(\w)\.expect\((\w)\.FOR\);([^]+?)return (\w+\.forNode\(\w,\w,\w,\w\))/g,
    "let own=$2.check($3.SELECT),$1=own?$2.advance():$2.expect($3.FOR);$4return Object.assign($5,{isSelect:own})",
  ],
  ["select begins a statement", /case (\w)\.FOR:/g, "case $1.FOR:case $1.SELECT:"],
  ["select begins a compound command", /(this\.check\()(\w)\.FOR(?=\)\)return \w+\(this,)/g, "$1$2.FOR,$2.SELECT"],
  [
    "The words of select come from a menu",
    /(\w)(\.limits\.maxArrayElements,"for-loop expansion"[^]{1,200}?\}\1\.state\.loopDepth\+\+;try\{)for\(let (\w) of (\w)\)([^]{1,300}?\.state\.env\.set\((\w)\.variable,[^]{1,200}?(\w)\.append\([^]{1,600}?return \7\.build\()(\w)(?=\)\}async function)/g,
    "$1$2var own=$6.isSelect?new repairs.Choices($1,$4,$7):$4;for await(let $3 of own)$5own.isAtEnd?1:$8",
  ],
];
