import type { Repair } from "./repair.ts";

/** Patches of how the interpreter collects output. */
export const OUTPUT_REPAIRS: readonly Repair[] = [
  [
    "Collected output keeps the order of stdout and stderr",
    /class\{scope;site;stdoutChunks=\[\];[^]{1,1300}?build\(\w,\w\)\{return\{/g,
    (code) =>
      code
        .replace(
          /(\w)&&(\((\w)==="stdout"\?this\.stdoutChunks:this\.stderrChunks\)\.push\(\1\),)/,
          '$1&&($2repairs.addParts(this,$3==="stdout"?{stdout:$1,stderr:""}:{stdout:"",stderr:$1})),',
        )
        .replace(
          /(appendResult\((\w),(\w)=\2\.stdout\)\{)([^}]+)\}/,
          "$1let own=this.parts??[];this.parts=[];$4;this.parts=own;repairs.addParts(this,{stdout:$3,stderr:$2.stderr,parts:$2.parts})}",
        )
        .replace(/return\{$/, "return{parts:this.parts,"),
  ],
  [
    "Output of loops and conditions keeps the order of stdout and stderr",
    /class\{ctx;stdoutChunks=\[\];[^]+?function \w+\((\w),\w\)\{if\(\1\.parts\.length!==1\)return!1;/g,
    (code) =>
      code
        .replace(/(append\((\w),(\w))\)\{/, "$1,own){")
        .replace(
          /(\w)&&this\.stderrChunks\.push\(\1\),(?=this\.totalBytes\+=)/,
          "$&repairs.addParts(this,own??{stdout:t,stderr:$1}),",
        )
        .replace(
          /(replace\((\w),(\w)\)\{)([^}]+)\}/,
          "$1let own={stdout:this.stdout,stderr:this.stderr,parts:this.parts};this.parts=[],$4;repairs.addRest(this,own,{stdout:$2,stderr:$3})}",
        )
        .replace(/return\{(stdout:\w,stderr:\w,exitCode:\w,internalOutputAccounting)/, "return{parts:this.parts,$1")
        .replace(/\.append\((\w)\.stdout,\1\.stderr\)/g, ".append($1.stdout,$1.stderr,$1)"),
  ],
  [
    "2>&1 and &> write stdout and stderr in the order in which they were printed",
    /if\((\w)===(\w)&&(\(\1\.kind==="file"\|\|\1\.kind==="descriptor"\)\)\{let \w=)(\w)\+(\w);([^]{1,700}?let (\w)=\w\(\w,\w,\w\);)(?=if\((\w)\.stdoutKind&&\(\7\.stdoutKind=)/g,
    'if(repairs.isSameTarget($1,$2)&&$1!==$2)$4=repairs.inOrder($8,$4,$5),$5="";' +
      "if($1===$2&&$3repairs.inOrder($8,$4,$5);$6if($7.stdout===$8.stdout&&$7.stderr===$8.stderr)$7.parts=$8.parts;",
  ],
  [
    "|& passes stdout and stderr on in the order in which they were printed",
    /(\.pipeStderr\?\.\[\w\]\?\?!1\?\w=)(\w+\((\w)\.stderr\))\+(\w+\(\3\))/g,
    "$1repairs.inOrder($3,$4,$2)",
  ],
  [
    "The command of exec > >(command) runs at the end of the shell",
    /(async function (\w+)\(\w,\w\)\{let \w=\w\.state\.processSubstitutions;if\(!\w\|\|\w\.length<=\w\)return (\w+);[^]+?async executeCommand\((\w),[^]{1,300}?let \w=)(await \2\([^]+?repairs\.runShell\(new \w+\(\w,\w\)\.ctx,\w)(?=\))/g,
    "$1repairs.isLasting($4)?$3:$5,$2",
  ],
  [
    "Traced commands are printed before their output",
    /(let \w=\w\+\w;if\()(\w)&&\((\w)=\{\.\.\.\3,(stderr:\2\+\3\.stderr)\}\)(?=,\3=await \w+\(this\.ctx,\3,\w\.redirections,)/g,
    "$1$2&&($3={...$3,$4,parts:[-$2.length,$3.stdout.length,-$3.stderr.length]})",
  ],
  [
    "if, for and case read the pipe before them",
    /(async executeCommandInner\((\w),(\w),\w\)\{)(?=switch\()/g,
    '$1if($3!==""&&/^(?:If|For|CStyleFor|Case)$$/.test($2.type))this.ctx.state.groupStdin=$3;',
  ],
  [
    "An error that ends commands carries the order of their output",
    /prependOutput\((\w),(\w)\)\{(?=this\.stdout=\1\+this\.stdout,)/g,
    "prependOutput($1,$2,parts){let own={};repairs.addParts(own,{stdout:$1,stderr:$2,parts});repairs.addParts(own,this);this.parts=own.parts;",
  ],
  [
    "Output before an error is added with its order",
    /^[^]+$/g,
    (code) =>
      code.replace(
        /\.prependOutput(\?\.)?\((\w|this)\.stdout,\2\.stderr\)/g,
        ".prependOutput$1($2.stdout,$2.stderr,$2.parts)",
      ),
  ],
  [
    "A script that ends itself keeps the order of its output",
    /(if\(\w\(\),(\w) instanceof \w+\)return )(\w+\(\2\.stdout,\2\.stderr,\2\.exitCode\))([^]+?catch\((\w)\)\{if\(\5 instanceof \w+\)return \w\(\{)(?=stdout:\5\.stdout,)/g,
    "$1{...$3,parts:$2.parts}$4parts:$5.parts,",
  ],
  [
    "Redirections of a command that ends the script keep the order of its output",
    /(=await \w+\(\w,)(\w+\((\w)\.stdout,\3\.stderr,\w\))(?=,\w,\w\.targets,\w\.dupSources,\w\.standardRoutes\);\3\.stdout=)/g,
    "$1{...$2,parts:$3.parts}",
  ],
  [
    "A command of exec > >(command) prints to where the shell printed before",
    /(\w\.push\(\{fd:\w,path:\w,direction:\w\.direction,body:\w\.body)(?=\}\);try\{await \w+\((\w),\w,\w\))/g,
    "$1,stdout:$2.state.fileDescriptors?.get(1)",
  ],
  [
    "A command fails if much of what it printed into a pipe is not read",
    /(\w)\.state\.commandCount=\1\.executionScope\.chargeCommand\(\),(\w=await\((\w)===\w\.commands\.at\(-1\)\?[^]+?)(?=(\w)\.push\((\w)\.exitCode\),\5\.exitCode!==0&&\((\w)=\5\.exitCode\))/g,
    "$1.state.unread=0,$&repairs.isUnread($1.state)&&$4.at(-1)===0&&($4[$4.length-1]=$6=141),",
  ],
  [
    "A command substitution among the words of a command reads the command's input",
    /async executeSimpleCommandInner\((\w),(\w),(\w)\)\{/g,
    "async executeSimpleCommandInner($1,$2,$3){let own=repairs.lendInput(this.ctx.state,$1,$2);" +
      "try{return await this.executeWithInput($1,$2,$3)}finally{own()}}async executeWithInput($1,$2,$3){",
  ],
  [
    "A command reads what its command substitutions left of its input",
    /(async executeWithInput\((\w),\w,\w\)[^]{1,4500}?\w=(\w)\.stdin!==void 0;)if\(\3\.stdin!==void 0&&\((\w)=\3\.stdin\),/g,
    "$1if($4=$3.stdin??repairs.leftInput(this.ctx.state,$2,$4),",
  ],
  [
    "A process substitution keeps the errors of those before it",
    /(let (\w)=await \w+\((\w),\w\.body,void 0\);)(?=if\(\2\.stderr&&\(\3\.state\.expansionStderr=)/g,
    "let own=$3.state.expansionStderr;$1$3.state.expansionStderr=own;",
  ],
  [
    "$(<file) complains about a missing file",
    /(catch\((\w)\)\{if\(\2 instanceof \w+\)throw \2;)(?=return (\w)\.state\.lastExitCode=1,\3\.state\.env\.set\("\?","1"\),""\})/g,
    "$1repairs.complainOfFile($3.state,$2);",
  ],
  [
    "Lack of memory ends a script, not only the loop that it happens in",
    /let (\w)=(\w+)\((\w)\);(?=return\{action:"error",stdout:(\w),stderr:`\$\{(\w)\}\$\{\1\})/g,
    'if($3.name==="InternalError")return{action:"rethrow",stdout:$4,stderr:$5,error:$3};$&',
  ],
];
