import type { Repair } from "./repair.ts";

/** Patches of what depends on the characters of a text, applied after the patches of speed. */
export const LOCALE_REPAIRS: readonly Repair[] = [
  [
    "The length of a text counts the characters of the locale",
    /(?<="bash:expansion:length"\)[^]{1,900}?return String\()repairs\.characterCount\((\w)\)(?=\)\}async function)/g,
    "repairs.characterCount(repairs.inLocale(e.state.env,$1))",
  ],
  [
    "A part of a text is counted in characters of the locale",
    /(return \w\.slice\(\w\)\.map\(\(\[,\w\]\)=>\w\)\.join\(" "\)\}let \w=\[\.\.\.)(\w)(?=\],\w=\w;if\(\w<0&&\()/g,
    "$1repairs.inLocale(e.state.env,$2)",
  ],
  [
    "The pattern of ${v#…} and ${v%…} matches characters of the locale",
    /function \w+\((\w),(\w),(\w),(\w),\w\)\{(?=if\(\4==="prefix"\)return \1\.executionScope\.consumeLimited\("pattern-removal")/g,
    "$&$2=repairs.inLocale($1.state.env,$2);$3=repairs.inLocale($1.state.env,$3);",
  ],
  [
    "The pattern of ${v/…/…} matches characters of the locale",
    /(anchor==="end"&&\((\w)=`\$\{\2\}\$`\),\2===""\)return (\w);)(?=let \w=\w\.all\?"gs":"s")/g,
    "$1$2=repairs.inLocale(e.state.env,$2);$3=repairs.inLocale(e.state.env,$3);",
  ],
  [
    "Letters that the locale does not have are not changed in case",
    /\w+\.coverage\?\.hit\("bash:expansion:case_modification"\),/g,
    "t=repairs.inLocale(e.state.env,t),$&",
  ],
  [
    "Letters whose other case has several letters stay as they are",
    /\w+=\w\.direction==="upper"\?\w=>\w\.toUpperCase\(\):[^]{1,1900}?case"L":return \w\.toLowerCase\(\)/g,
    (code) =>
      code.replace(
        /(\w|\w\.charAt\(0\))\.to(Upper|Lower)Case\(\)/g,
        (_, text, how) => `repairs.${how.toLowerCase()}Case(${text})`,
      ),
  ],
  [
    "A transformation of a text is one of characters of the locale",
    /\w+\.coverage\?\.hit\("bash:expansion:transform"\);/g,
    "n=repairs.inLocale(e.state.env,n);$&",
  ],
  [
    "A pattern of [[ ]] matches characters of the locale",
    /(let \w=\w\.state\.shoptOptions\.nocasematch;return \w+\(\w\.operator,)(\w),(\w),/g,
    "$1repairs.inLocale(e.state.env,$2),repairs.inLocale(e.state.env,$3),",
  ],
  [
    "A pattern of case matches characters of the locale",
    /(shoptOptions\.extglob;if\(\w+\()(\w),(\w)(?=,\w,\w,(\w)\.limits\.maxCallDepth\)\)\{)/g,
    "$1repairs.inLocale($4.state.env,$2),repairs.inLocale($4.state.env,$3)",
  ],
  [
    "A pattern of file names matches characters of the locale",
    /(let \w=(\w)\?\.get\("GLOBIGNORE"\);[^]+?matchPattern\((\w),(\w)\)\{return this\.patternToRegex\()\4\)\.test\(\3\)(?=\})/g,
    "this.variables=$2??new Map;$1repairs.inLocale(this.variables,$4)).test(repairs.inLocale(this.variables,$3))",
  ],
  [
    "A word that is put together of bytes consists of the characters that they form",
    /async function (\w+)(\((\w),(\w)\)\{)(?=let changed=await repairs\.expandElementwise)/g,
    "async function $1$2return repairs.wholeWords(await $1OfBytes($3,$4))}async function $1OfBytes$2",
  ],
];
