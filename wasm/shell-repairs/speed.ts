import type { Repair } from "./repair.ts";

/** Patches of what costs time for each command, or for each character that passes between commands. */
export const SPEED_REPAIRS: readonly Repair[] = [
  [
    "What a command may use is not copied for each command: its signal and its budget stop one that is cancelled",
    /(function \w+\((\w),(\w)\)\{let )\w=!0,(\w)=\2\.signal\?new AbortController:void 0,[^]{1,200}?`bash: \$\{\3\} used its context after cancellation\n`\)[^]{1,2600}?(revoke\(\)\{)\w=!1,(?=\4\?\.signal\.aborted\|\|\4\?\.abort\([^]{1,60}?context revoked\n`\)\)\}\}\})/g,
    "$1$4=$2.signal&&new AbortController;$2.signal=$4?.signal;return{context:$2,$5",
  ],
  [
    "Commands of our own use the budget as all others do",
    /executionScope:\w\.internalIsExtension\?\w+\((\w)\.executionScope\):\1\.executionScope/g,
    "executionScope:$1.executionScope",
  ],
  [
    "The bytes of a text are not counted one by one",
    /(function \w+\((\w)\)\{)let \w=0;for\(let \w=0;\w<\2\.length;\w\+\+\)\{let \w=\2\.charCodeAt\(\w\);if\(\w<=127\)\w\+\+;else if[^{}]{1,120}\{[^{}]{1,160}\}else \w\+=3\}return \w\}/g,
    "$1return repairs.utf8Bytes($2).length}",
  ],
  [
    "Bytes are decoded, and texts encoded, at once; bytes that are no UTF-8 pass unchanged",
    /(function \w+\((\w),\w=\w+\)\{)let \w=\2;if\(!\w\)return \w;\w+\(\w\.length,\w,"UTF-8 decode"\);[^]{1,330}?(\}function \w+\((\w),\w=\w+\)\{)if\(!\4\)return \4;\w+\(\w\(\4\),\w,"UTF-8 encode"\);[^]{1,100}?return \w(\}function \w+\((\w),\w=\w+\)\{)\w+\(\6\.byteLength,[^]{1,160}?return \w(?=\})/g,
    "$1return repairs.decodeInput($2)$3return repairs.utf8Bytes($4)$5return repairs.latin1Of($6)",
  ],
  [
    "The bytes of a file in memory are not set one by one",
    /(if\(\w==="binary"\|\|\w==="latin1"\))\{if\((\w)\.length<=65536\)return Uint8Array\.from\(\2,[^{}]{1,200}\}(?=return \w+\.encode\(\2\)\})/g,
    "$1return repairs.bytesOfLatin1(/[^\\0-\\xff]/.test($2)?repairs.utf8Bytes($2):$2);",
  ],
  [
    "Characters are counted without a list of them",
    /"bash:expansion:length"\)[^]{1,900}?return String\(\[\.\.\.\w\]\.length\)(?=\}async function)/g,
    (code) => code.replace(/\[\.\.\.(\w)\]\.length/g, "repairs.characterCount($1)"),
  ],
  [
    "read takes what stands before a delimiter or a backslash at once",
    /(\w=0;let (\w)=0;for\(;\2<(\w)\.length;\)\{)(?=let (\w)=\3\[\2\];if\(\4===(\w)\)\{\w=\2\+\5\.length,\w=!0;break\}if\(!(\w)&&\4==="\\\\"[^]{1,200}?(\w)\(\4\),\7\(\w\))/g,
    "$1let end=repairs.plainEnd($3,{from:$2,delimiter:$5,hasEscapes:!$6});if(end>$2){$7($3.slice($2,end)),$2=end;continue}",
  ],
  [
    "An operation on each element of a list expands its part of the word only",
    /repairs\.expandChanged\([^]+/g,
    (code) => {
      const [, part = ""] = /async function (\w+)\(\w,\w,\w=!1\)\{if\(\w\.type==="Param/.exec(code) ?? [];
      return code
        .replace(/(?<=\{expand:word=>\w+\((\w),word\),)(?=finish)/, `expandPart:own=>${part}($1,own,!0),`)
        .replace(
          /(?<=repairs\.expandElementwise\(\w\.state,\w,)(word=>\w+\((\w),word\))/,
          `{expand:$1,expandPart:own=>${part}($2,own,!0)}`,
        );
    },
  ],
  [
    "The pattern of ${v/…/…} is compiled once",
    /(let (\w)=)(\w+)\((\w),(\w)\)(?=;return \w+\(\w,(\w),\2,(\w),\w\.all\)\}catch)/g,
    "$1repairs.compiled($4,$5,$3);if($2 instanceof RegExp)return repairs.replaced($6,$2,$7)",
  ],
  [
    "The patterns of ${v#…} and ${v%…} are compiled once",
    /function \w+\(\w,\w,\w,\w,\w\)\{if\(\w==="prefix"\)[^]{1,900}?exec\(\w\);(?=if\(!\w\)return)/g,
    (code) =>
      code
        .replace(/(\w+)\((`[^`]{2,16}`),"s"\)/g, 'repairs.compiled($2,"s",$1)')
        .replace(/(repairs\.compiled\(`[^`]+`,"s",\w+\)|\b\w)\.replace\((\w),""\)/g, "repairs.withoutMatch($1,$2)"),
  ],
  [
    "A list may have more elements than a call takes arguments",
    /^[^]+$/g,
    (code) => code.replace(/Math\.max\(\.\.\.(?=\w\.map\(\(\[|\w\)\+1)/g, "repairs.largest("),
  ],
];
