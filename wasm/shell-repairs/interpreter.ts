import type { Repair } from "./repair.ts";

/** Repairs of the interpreter: statements, expansion, output. */
export const INTERPRETER_REPAIRS: readonly Repair[] = [
  [
    "a redirection that cannot be opened fails one command, not the script",
    /if\(!\w+\)throw \w+;(?=return\{error:\w+\("",`bash: \$\{\w+\}: cannot open redirect)/g,
    "",
  ],
  [
    "what was printed until the time was up is kept on the way out, as at every other limit",
    /(\w+)(=class extends \w+\{limitType;name="ExecutionLimitError"[^]{0,200}?class extends )\w+(\{name="ExecutionAbortedError";constructor\((\w)="",(\w)=""\)\{super\("execution aborted",)\4,\5\)/g,
    '$1$2$1$3"time",$4,$5),this.stderr=$5',
  ],
  [
    "what was printed in time is taken, though the time is up since",
    /(?<=appendOutput\(\w,\w,\w="execution",\w=0,\w="text"\)\{)(?=this\.assertUsable\(\);)/g,
    "if(this.poisoned||this.closed)",
  ],
  [
    "redirections, which need time themselves, do not replace the end of what is out of time",
    /(?<=async function \w+\(\w,(\w),\w,\w\)\{)(?=let (\w)=\1 instanceof \w+\|\|[^;]{1,60}\?\1\.exitCode:\1 instanceof)/g,
    'if($1.name==="ExecutionAbortedError")return;',
  ],
  [
    "what scripts within a script had printed is left to the command that began them, whether they end in time",
    /(async execInScope\(\w,\w,(\w),[^]{1,3000}?,(\w)=await new \w+\(\w,\w\)\.executeScript\(\w\);return )([^]{1,1500}?if\((\w) instanceof \w+\)return )(?=\w\(\{stdout:\5\.stdout,stderr:\5\.stderr,exitCode:124)/g,
    "$1$2.left?.push($3),$4$2.left?.push($5),",
  ],
  [
    "or not: then the command hands it on",
    /(async function \w+\(\w,\w,\w,\w,(\w),\w\)\{)(?=let \w=\2\.remainingTimeMs\(\))([^]{1,1500}?;throw \w\|\|\2\.poisonAfterAbort\((\w)\)),\4\}finally\{/g,
    "$1let outer=$2.left;$2.left=[];$3," +
      '$4.prependOutput($2.left.map(one=>one.stdout).join(""),$2.left.map(one=>one.stderr).join("")),$4}finally{$2.left=outer;',
  ],
  [
    "what rounds of a while loop had printed is kept where its condition ends the script",
    /((\w)\.append\((\w)\.stdout,\3\.stderr\),\3\.levels>1[^{}]{1,200};\w=!0\}else throw )(?=\w\.state\.inCondition=\w,\3\})/g,
    "$1$3.prependOutput?.($2.stdout,$2.stderr),",
  ],
  [
    "or that of an until loop",
    /(let (\w)=await \w+\(\w,\w\.condition\))(?=;if\((\w)\.append\(\2\.stdout,\2\.stderr\),\2\.exitCode===0\)break)/g,
    "$1.catch(end=>{throw end.prependOutput?.($3.stdout,$3.stderr),end})",
  ],
  [
    "and what the conditions before an elif had printed",
    /(let (\w)=await \w+\(\w,\w\.condition\))(?=;if\((\w)\.append\(\2\.stdout,\2\.stderr\),\2\.exitCode===0\)return)/g,
    "$1.catch(end=>{throw end.prependOutput?.($3.stdout,$3.stderr),end})",
  ],
  [
    "numbers have more than 32 bits, and what is not exact fails",
    /(function (\w+)\((\w),(\w),(\w)\)\{)(switch\(\5\)\{case"\+":return \3\+\4;[^]{1,200}?new (\w+)\("division by 0"\)[^]{1,900}?)(function \w+\((\w),(\w),(\w)\)\{)(?=switch\(\w\)\{case"=":return \w;case"\+=":)/g,
    "$1let own=repairs.exactly($3,$4,$5);" +
      'if(own===null)throw new $7("number too large: results are exact up to 2^53");if(own!==undefined)return own;' +
      '$6$8if($11!=="=")return $2($9,$10,$11.slice(0,-1));',
  ],
  [
    "set -e spares what stands before && or ||, also within functions, and what ! turns around",
    /(let (\w)=(\w)\.pipelines\[\w\],\w=\w>0\?\3\.operators\[[^;]{1,99};if\([^;]{1,99}\)continue;let (\w)=)(await this\.executePipeline\(\2\));/g,
    "$1null,held=this.ctx.state.inCondition;this.ctx.state.inCondition=held||$2.negated||$2!==$3.pipelines.at(-1);" +
      "try{$4=$5}finally{this.ctx.state.inCondition=held}",
  ],
  [
    "a trap for ERR runs when a statement fails",
    /(let \w=\w<\w\.pipelines\.length-1,\w=this\.ctx\.state\.errexitSafe;if\(this\.ctx\.state\.errexitSafe=[^,]{1,20},)this\.ctx\.state\.options\.errexit&&((\w)!==0&&[^)]{1,120})\)(?=\{let \w=new \w+\(\3\);throw \w\.prependOutput\((\w)\.stdout)/g,
    "$1$2&&await repairs.failed(this.ctx,$4,$3)&&this.ctx.state.options.errexit)",
  ],
  ["set -E lets functions have it", /\["E",null\]/g, '["E","errtrace"]'],
  [
    "a trap for EXIT runs at the end of a shell",
    /(=await )(new \w+\(\w,\w\))\.executeScript\((\w)\)/g,
    "$1repairs.shell($2.ctx,$3)",
  ],
  [
    "of a subshell",
    /(\w=>)(\w+\((\w),\w,\w\.stdin\?\?\w,\w,\w\|\|\w\.stdin!==void 0\))(?=\)\}finally\{let \w=new Map;for)/g,
    "$1repairs.trapped($3,()=>$2)",
  ],
  [
    "of a script in a file",
    /(\.parse\(\w\),\w=await )(\w\(\w\))(?=;return \w\(\),\w\}catch\((\w)\)\{if\(\w\(\),\3 instanceof \w+\)return \w+\(\3\.stdout,\3\.stderr,\3\.exitCode\))/g,
    "$1repairs.trapped(e,()=>$2)",
  ],
  [
    "of a command substitution, where set -e does not hold",
    /(suppressVerbose=!0;try\{let \w=await )(\w)\.executeScript\((\w\.body)\)(?=,\w=\w\.exitCode;\2\.state\.env=)/g,
    "$1repairs.substituted($2,$3)",
  ],
  [
    "a function that ends with a failing && fails its caller; there is trap; local takes what declare takes",
    /if\((\w)==="local"\)(return \w+\((\w),(\w)\))(;[^]{1,900}?\1==="declare"\|\|\1==="typeset"\)return )(\w+)(\([^]{1,120}?functions\.get\(\1\);if\(\w\))return (\w+\([^)]+\))/g,
    'if($1==="trap")return repairs.trap($3,$4);' +
      'if($1==="local"){if($3.state.localScopes.length>0&&$4.some(a=>/^-\\w*[Airulx]|=\\(\\[/.test(a)))return $6($3,$4);$2}' +
      "$5$6$7{let own=await $8;$3.state.errexitSafe=!1;return own}",
  ],
  [
    "elements of an associative array have spaces",
    /(\/\^\\\[\.\+\\\]=\/\.test\((\w)\)\?\w=)\2(?=:\2===""\?\w="''")/g,
    "$1repairs.quotedElement($2)",
  ],
  [
    "a default is taken though set -u holds",
    /(let (\w)=\w\.parameter,\w=await \w+\(\w,\2\),\w=await \w+\(\w,\2)(?=\),\w=\w==="",\w=\w\.checkEmpty)/g,
    "$1,!1",
  ],
  [
    "${a[*]} is joined by IFS, also in here-strings",
    /(if\((\w)==="@"\|\|\2==="\*"\)\{let (\w)=\w+\((\w),\w\);if\(\3\.length>0\)return \3\.map\(\(\[,(\w)\]\)=>\5\)\.join\()" "/g,
    '$1$2==="*"?repairs.separator($4.state.env):" "',
  ],
  [
    "an empty file as input is input",
    /(:\{\.\.\.await \w+\(\w,\w,\w,\w,\w)(\),internalProducerCommand:\w\}\})/g,
    "$1,l$2",
  ],
  [
    "and not what is left for the loop around it",
    /(async function \w+\(\w,\w,\w,\w,\w)(\)\{let\{ctx:\w,buildExportedEnv:\w,executeUserScript:\w\}=[^]{1,1100}?let \w=)(\w)(?=\|\|\w\.state\.groupStdin\|\|"",\w=!1,\w=\w\(\))/g,
    "$1,own$2own?$3:$3",
  ],
  [
    "an assignment without a command in it succeeds",
    /(this\.ctx\.state\.expansionStderr="",\w+\("",\w,)(this\.ctx\.state\.lastExitCode)(?=\)\}let (\w)=(\w)\.name&&)/g,
    "$1repairs.substitutes($4.assignments)?$2:0",
  ],
  [
    "functions are known to command substitutions in $(( ))",
    /(async function (\w+)\(\w,\w,\w=!1\)\{if\(\w\.type==="ParameterExpansion"\)return[^]{1,15000}?new (\w+),\{expr:[^]{1,1500}?case"ArithCommandSubst":\{if\((\w)\.execFn\)\{let \w=)await \4\.execFn\((\w)\.command,\{signal:\4\.state\.signal\}\)/g,
    '$1{stdout:await $2($4,{type:"CommandSubstitution",body:new $3().parse($5.command)})}',
  ],
  [
    "a pattern that ends with a slash is for directories",
    /(return )(this\.filterGlobignore\(\w\))(?=\}isGlobstarValid\((\w)\))/g,
    "$1/[^*]\\/$|(?:^|[^*])\\*\\/$/.test($3)?repairs.directories(this,$2):$2",
  ],
  [
    "commands that run commands hand the environment on",
    /(exportedEnv:(\w),get stdin\(\)[^]{1,200}?exec:\((\w),(\w)\)=>\w\.execFn\(\3,)\4(,!1\),execWithInheritedStdin:\(\3,\4\)=>\w\.execFn\(\3,\{\.\.\.\4,)/g,
    "$1{...$4,env:$4.replaceEnv?$4.env:{...$2,...$4.env}}$5env:$4.replaceEnv?$4.env:{...$2,...$4.env},",
  ],
  [
    "also to what these run",
    /(\w=\{\.\.\.this\.state,)(?=env:\w,arrays:(\w)\.replaceEnv\?new Map)/g,
    "$1exportedVars:new Set([...$2.replaceEnv?[]:this.state.exportedVars??[],...Object.keys($2.env??{})]),",
  ],
  [
    "operators within (( )) need no spaces",
    /(\w)\.length>0&&!\1\.endsWith\(" "\)&&!\((\w)==="="&&[^;]{1,40}\.test\(\1\)\)&&!\(\2==="<"&&(\w)==="<"\)&&!\(\2===">"&&\3===">"\)&&(?=\(\1\+=" "\))/g,
    "this.current().start>this.tokens[this.pos-1].end&&",
  ],
  [
    "and begin no here-document",
    /if\((\w)==="<"&&(\w)==="<"(&&\w==="-"\)return this\.pos=[^]{1,400}?)if\(\1==="<"&&\2==="<"\)/g,
    'if(this.dparenDepth===0&&$1==="<"&&$2==="<"$3if(this.dparenDepth===0&&$1==="<"&&$2==="<")',
  ],
  [
    "(( )) is arithmetic, whatever stands in it",
    /this\.looksLikeNestedSubshells\((\w\+2)\)\|\|this\.dparenClosesWithSpacedParens\(\1\)/g,
    "repairs.areSubshells(this.input,$1)",
  ],
];
