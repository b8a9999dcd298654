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
];
