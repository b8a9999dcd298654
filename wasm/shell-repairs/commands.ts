import type { Repair } from "./repair.ts";

/** Patches of just-bash's commands other than awk. */
export const COMMAND_REPAIRS: readonly Repair[] = [
  [
    "md5sum and similar commands report missing files on stderr",
    /let (\w)="",(\w)=0;(for\(let \w of \w\)\{let \w=await \w\(\w\);if\(\w===null\)\{)\1(\+=`\$\{\w\}: \$\{\w\}: No such file or directory\n`,\2=1;continue\}\1\+=[^;]+\}return\{stdout:\1,stderr:)""/g,
    'let $1="",$2=0,complaints="";$3complaints$4complaints',
  ],
  [
    "md5sum and similar commands report mismatches on stderr",
    /return (\w)>0&&\((\w)\+=(`\$\{\w\}: WARNING: \$\{\1\} computed checksum\$\{\1>1\?"s":""\} did NOT match\n`)\),\{stdout:\2,stderr:""/g,
    'return{stdout:$2,stderr:$1>0?$3:""',
  ],
  [
    "grep accepts several -e",
    /(?<=if\((\w+)==="-e"&&(\w+)\+1<\w\.length\)\{)(\w)=(\w\[\+\+\2\])(?=;continue\}if\(\1\.startsWith\("--file="\))/g,
    '$3=($3===null?"":$3+"\\n")+$4',
  ],
  [
    "grep -r prints paths with the given directory, and searches hidden files",
    /(if\(\w+\(\w\),)(\w)\.startsWith\("\."\)(\)continue;let \w=)(\w)==="\."\?\2:`\$\{\4\}\/\$\{\2\}`/g,
    '$1$2===".git"$3repairs.pathWithin($4,$2)',
  ],
  [
    "grep -r searches the working directory by default",
    /let (\w)=\w(?=,\w=\w===null\?\[\]:\w+\(\w\),\w=!1;for\(let \w+ of \w\)\{let \w+;if\(\w+===""\)return\{stdout:"",stderr:`grep: : No such)/g,
    "$&.length===0&&l?[repairs.IMPLIED]:R",
  ],
  [
    "grep -r reports missing files",
    /(else if\(\w\)\{let (\w+)=await \w+\((\w+),\w,\w,\w,\w,void 0,\w+\);\w+\()\2(\)\}else\{if\(\w+\.length>=)/g,
    "$1$2.length===0&&!await t.fs.exists(t.fs.resolvePath(t.cwd,$3))?[{path:$3}]:$2$4",
  ],
  [
    "grep uses POSIX regular expressions; with -P, (?i) may come first",
    /function \w+\((\w),(\w)\)\{(?=let \w,\w;switch\(\2\.mode\)\{case"fixed":)/g,
    "$&let own=repairs.grepPattern($1,$2);if(own!==null)return own;" +
      'if($2.mode==="perl"&&/\\\\G|^\\(\\?\\w*x/.test($1))throw new Error();' +
      'if($2.mode==="perl"&&$1.startsWith("(?i)"))$1=$1.slice(4),$2={...$2,ignoreCase:!0};',
  ],
  [
    "Several patterns of grep are joined without (?:), which POSIX does not have",
    /\{pattern:(\w\.map\(\w=>)`\(\?:(\$\{\w\.replace\(\/[^`]+?"\)\})\)`\)\.join\("\|"\),mode:"extended"\}(:[^{}]{1,20}\{[^{}]{1,40}\}:\{pattern:\w\.map\(\w=>)`\(\?:(\$\{\w\})\)`\)/g,
    '{pattern:$1`$2`).join("|"),mode:"extended"}$3`$4`)',
  ],
  [
    "The context after a match ends at the next match",
    /(for\(let (\w) of (\w)\)\{)(\w\(\);let \w=Math\.max\(0,\2-\w\)[^]{1,900}?for\(let (\w+)=\2\+1;\5<=\w)(?=;\5\+\+\))/g,
    "let own=new Set($3);$1$4&&!own.has($5)",
  ],
  [
    "grep reads standard input if it is given no file",
    /if\((\w)\.length===0&&\w\.stdin!==void 0\)\{let \w+=\w\?"":\w+\(\w\.stdin\),[^]{1,500}?exitCode:\w+\.matched\?0:1\}\}(if\(\1\.length===0\))return\{stdout:"",stderr:`grep: no input files\n`,exitCode:2\};/g,
    '$2$1=["-"];',
  ],
  [
    "grep supports -H, -s, -z, -a and -I",
    /(\w+=\{name:"grep",async execute\(\w,\w\)\{)([^]{1,3000}?else if\((\w+)==="h"\|\|\3==="--no-filename"\)\w=!0;)([^]{1,5500}?let \w+=\()(\w+\.length>1\|\|\w&&\w+\)&&![^]{1,3000}?if\("error"in (\w+)&&\6\.error\)\{)(\w\+=\6\.error)/g,
    '$1let own={binary:"",context:t};$2else if(repairs.isGrepFlag(own,$3));$4own.named||$5own.silent||($7)',
  ],
  [
    "grep -z separates lines by NUL",
    /(?=if\(\w&&!\w\)\{let \w+=\w\.ignoreCase\?(\w+)\.toLowerCase\(\):\1;)([^]{1,900}?return\{file:(\w+),result:)(\w+)(?=\}\}catch\((\w+)\)\{return \w+\(\5\),\{error:`grep: )/g,
    "$1=repairs.grepInput(own,$1);$2repairs.grepOutput(own,$4,{name:$3,text:$1})",
  ],
  [
    "grep names binary files instead of printing their lines",
    /(\?\{stdout:"",stderr:"",exitCode:(\w+)\}:\{stdout:\w,stderr:\w)(?=,exitCode:\2\}\}\},\w+=256)/g,
    "$1+own.binary",
  ],
  [
    "grep -o prints nothing for empty matches",
    /(\w\(\w,\w+\+(\w+)\))(?=,\w+\[0\]\.length===0&&\w\.lastIndex\+\+\}else if)/g,
    '($2===""||$1)',
  ],
  [
    "Patterns with lookaround use JavaScript's RegExp",
    /(function \w+\((\w),(\w)="",(\w)=\{\}\)\{)return new (\w+)\(\2,\3,\4\)\}/g,
    "$1try{return new $5($2,$3,$4)}catch(error){if(/\\(\\?<?[=!]/.test($2))return new RegExp($2,$3);throw error}}",
  ],
  [
    "read decodes UTF-8, and drops NUL characters",
    /(\w\(\w\)\})(?=\w===`\n`&&(\w)\.endsWith\(`\n`\)&&\(\2=\2\.slice\(0,-1\)\);let \w=\w=>\w\?\w:\w\.replace)/g,
    "$1$2=repairs.decodeInput($2).replaceAll('\\0','');",
  ],
  [
    "read -n counts characters, not bytes",
    /(let \w=0,(\w)=0,\w=!1;for\(;\2<(\w)\.length&&)(\w)(<\w)(;\)\{let \w=\3\[\2\];if\([^]{1,240}\}else )(\w\(\w\),\2\+\+),\4\+\+/g,
    "$1($4$5||repairs.isContinuationByte($3,$2,e.state.env))$6repairs.isContinuationByte($3,$2,e.state.env)||$4++,$7",
  ],
  [
    "read -N counts characters, not bytes",
    /let (\w)=Math\.min\((\w),(\w)\.length\);(\w)=\3\.substring\(0,\1\),(\w)\(\4\),(\w)=\1,(\w)=\1>=\2,(\w\(\6\));/g,
    "let $1=repairs.byteOffsetOf($2,$3);$4=$3.substring(0,$1),$5($4),$6=$1,$8,$4=repairs.decodeInput($4)," +
      "$7=[...repairs.inLocale(e.state.env,$4)].length>=$2;",
  ],
  [
    "mapfile decodes UTF-8",
    /(\(`mapfile: string length limit exceeded \(\$\{\w\.limits\.maxStringLength\} bytes\)`,"string_length"\);\w\.push\()(\w)\)/g,
    "$1repairs.decodeInput($2))",
  ],
  [
    "printf %(…)T tells the time in the zone that TZ names",
    /(let \w=)\w+\((\w),(\w),(\w),\{maxOperations:(\w)-(\w),maxOutputBytes:\5-\6\}\)/g,
    "$1repairs.formatTime($2,$3,$4)",
  ],
  [
    "printf %q does not escape letters beyond ASCII",
    /\/\[\\x00-\\x1f\\x7f-\\xff\]\/\.test\((\w)\)(,\w=\w\?3:0;[^]{1,300}?)(\w)<32\|\|\3>=127&&\3<=255\?([^]{1,700}?)(\w)<32\|\|\5>=127&&\5<=255\?/g,
    "/[\\x00-\\x1f\\x7f]/.test($1)$2$3<32||$3===127?$4$5<32||$5===127?",
  ],
  [
    "nl begins unnumbered lines with spaces only",
    /\$\{" "\.repeat\((\w)\.width\)\}\$\{\1\.separator\}/g,
    '${" ".repeat($1.width+$1.separator.length)}',
  ],
  [
    "tr -ds deletes the first set, then squeezes the second",
    /if\((\w)\)(for\(let (\w) of \w\)\w\(\3\)\|\|)(\w)\(\3\);(?=else if\((\w)&&\w\.length===1\)\{let \w="";for\(let)/g,
    'if($1){let last="";$2($5&&$3===last&&m.has($3)||$4($3),last=$3)}',
  ],
  [
    "read -N takes the character behind a backslash",
    /let (\w)=repairs\.byteOffsetOf\((\w),(\w)\);(\w)=\3\.substring\(0,\1\)(?=,\w\(\4\),\w=\1,\w\(\w\),\4=repairs\.decodeInput\(\4\))/g,
    "let own=repairs.readCharacters($2,$3,{isRaw:s,variables:e.state.env}),$1=own.taken;$4=own.bytes",
  ],
  [
    "read -n keeps escapes until the words are split",
    /(let (\w)=(\w)\[(\w)\+1\];if\(\2===\w&&\w===`\n`\)\{\4\+=2,\w=\4;continue\}if\(\2===\w\)\{\4\+=2,\w\+\+,)(\w)\(\2\)(,\w=\4;continue\})\5\(\2\)/g,
    "$1$5($3.slice($4-2,$4))$6$5($3.slice($4,$4+2))",
  ],
  [
    "read drops a backslash at the end of the input",
    /(\w)=>(\w)\?\1:\1\.replace\(\/\\\\\(\.\)\/g,"\$1"\)/g,
    '$1=>$2?$1:$1.replace(/\\\\([^]|$$)/g,"$$1")',
  ],
];
