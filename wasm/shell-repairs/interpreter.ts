import type { Repair } from "./repair.ts";

/** Patches of the interpreter: statements, expansion, output. */
export const INTERPRETER_REPAIRS: readonly Repair[] = [
  [
    "A redirection error fails its command, not the whole script",
    /if\(!\w+\)throw \w+;(?=return\{error:\w+\("",`bash: \$\{\w+\}: cannot open redirect)/g,
    "",
  ],
  [
    "A timeout error carries the output printed so far, like the errors of other limits",
    /(\w+)(=class extends \w+\{limitType;name="ExecutionLimitError"[^]{0,200}?class extends )\w+(\{name="ExecutionAbortedError";constructor\((\w)="",(\w)=""\)\{super\("execution aborted",)\4,\5\)/g,
    '$1$2$1$3"time",$4,$5),this.stderr=$5',
  ],
  [
    "Output printed before the timeout is still appended after it",
    /(?<=appendOutput\(\w,\w,\w="execution",\w=0,\w="text"\)\{)(?=this\.assertUsable\(\);)/g,
    "if(this.poisoned||this.closed)",
  ],
  [
    "Redirections leave a timeout error as it is",
    /(?<=async function \w+\(\w,(\w),\w,\w\)\{)(?=let (\w)=\1 instanceof \w+\|\|[^;]{1,60}\?\1\.exitCode:\1 instanceof)/g,
    'if($1.name==="ExecutionAbortedError")return;',
  ],
  [
    "Output of nested scripts is recorded for the command that started them",
    /(async execInScope\(\w,\w,(\w),[^]{1,3000}?,(\w)=await new \w+\(\w,\w\)\.executeScript\(\w\);return )([^]{1,1500}?if\((\w) instanceof \w+\)return )(?=\w\(\{stdout:\5\.stdout,stderr:\5\.stderr,exitCode:124)/g,
    "$1$2.left?.push($3),$4$2.left?.push($5),",
  ],
  [
    "A command that is aborted adds the recorded output of its nested scripts to the error",
    /(async function \w+\(\w,\w,\w,\w,(\w),\w\)\{)(?=let \w=\2\.remainingTimeMs\(\))([^]{1,1500}?;throw \w\|\|\2\.poisonAfterAbort\((\w)\)),\4\}finally\{/g,
    "$1let outer=$2.left;$2.left=[];$3," +
      '$4.prependOutput($2.left.map(one=>one.stdout).join(""),$2.left.map(one=>one.stderr).join("")),$4}finally{$2.left=outer;',
  ],
  [
    "Output of a while loop is kept when its condition ends the script",
    /((\w)\.append\((\w)\.stdout,\3\.stderr\),\3\.levels>1[^{}]{1,200};\w=!0\}else throw )(?=\w\.state\.inCondition=\w,\3\})/g,
    "$1$3.prependOutput?.($2.stdout,$2.stderr),",
  ],
  [
    "Output of an until loop is kept when its condition ends the script",
    /(let (\w)=await \w+\(\w,\w\.condition\))(?=;if\((\w)\.append\(\2\.stdout,\2\.stderr\),\2\.exitCode===0\)break)/g,
    "$1.catch(end=>{throw end.prependOutput?.($3.stdout,$3.stderr),end})",
  ],
  [
    "Output of earlier if and elif conditions is kept when a later one ends the script",
    /(let (\w)=await \w+\(\w,\w\.condition\))(?=;if\((\w)\.append\(\2\.stdout,\2\.stderr\),\2\.exitCode===0\)return)/g,
    "$1.catch(end=>{throw end.prependOutput?.($3.stdout,$3.stderr),end})",
  ],
  [
    "Binary operators of arithmetic have 64 bits",
    /(function (\w+)\((\w),(\w),(\w)\)\{)(switch\(\5\)\{case"\+":return \3\+\4;[^]{1,1200}?)(function \w+\((\w),(\w),(\w)\)\{)(?=switch\(\w\)\{case"=":return \w;case"\+=":)/g,
    "$1let own=repairs.exactResult($3,$4,$5);if(own!==void 0)return own;" +
      '$6$7if($10!=="=")return $2($8,$9,$10.slice(0,-1));',
  ],
  [
    "Unary operators, variables and numerals of arithmetic have 64 bits",
    /function \w+\(\w,\w\)\{switch\(\w\)\{case"-":return-\w;case"\+":return\+\w;[^]{1,11000}?case"ArithDynamicElement"/g,
    (code) => {
      const [, numberOf = ""] = /`\$\{\w\}#\$\{\w\.value\}`;return (\w+)\(/.exec(code) ?? [];
      return code
        .replace(
          /case"-":return-(\w);case"\+":return\+\w;/,
          'case"-":return repairs.exactResult(0,$1,"-");case"+":return $1;',
        )
        .replace(/case"~":return~(\w);/, 'case"~":return repairs.exactResult(-1,$1,"-");')
        .replace(
          /Number\.parseInt\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?),10\)(?:\|\|0)?/g,
          "repairs.parseInteger($1)",
        )
        .replace(/\?(\w)\+1:\1-1/g, '?repairs.exactResult($1,1,"+"):repairs.exactResult($1,1,"-")')
        .replace(/(case"ArithConcat":[^]{1,300}?:)repairs\.parseInteger\((\w)\)/, `$1(${numberOf}($2)||0)`);
    },
  ],
  [
    "The digits after the base of a number may be a variable",
    /(?=if\((\w)<(\w)\.length&&\/\[a-zA-Z_\]\/\.test\(\2\[\1\]\)\)\{let \w=(\w);for\([^{}]{1,100}return\{expr:\{type:"ArithSyntaxError",errorToken)/g,
    'if($3.endsWith("#")&&$2.startsWith("${",$1)){let end=$2.indexOf("}",$1);return{expr:{type:"ArithConcat",parts:' +
      '[{type:"ArithVariable",name:$3},{type:"ArithBracedExpansion",content:$2.slice($1+2,end)}]},pos:end+1}}',
  ],
  [
    "Numerals may exceed JavaScript's safe integers",
    /(function \w+\((\w)\)\{)(?=if\(\2\.includes\("#"\)\)\{let \w=\2\.split\("#"\))/g,
    "$1let own=repairs.parseLongNumeral($2);if(own!==void 0)return own;",
  ],
  [
    "A command's words are expanded without its prefix assignments",
    /(Array\.from\((\w)\.keys\(\)\);if\(\w\.length>0&&!\w\)\{[^]{1,160}?\})(let \w=await \w+\(this\.ctx,\w\.name\)[^]{1,1600}?=await \w\.prepare\(\w\);)(?=if\(\w\.error\)return \w\(\),)/g,
    "$1let assign=repairs.withoutAssignments(this.ctx.state,$2);$3assign();",
  ],
  [
    "A command's name may expand to several words",
    /let (\w)=await (\w+)\(this\.ctx,(\w)\.name\)(,\w=\[\],\w=\[\],(\w)=\(\w,\w\)=>\{[^]{1,260}?\};)(if\(\w+\(\3\.name,\["local"[^]{1,500}?=await (\w+)\(this\.ctx,\w\);for\(let \w of \w\.values\)[^]{1,300}?let \w=)(?=\3\.name\.parts\.every)/g,
    "let own=repairs.isExpanded($3.name)?await $7(this.ctx,$3.name):void 0," +
      '$1=own?own.values[0]??"":await $2(this.ctx,$3.name)$4if(own)for(let word of own.values.slice(1))$5(word,own.quoted);$6own?.values.length===0||',
  ],
  [
    "A background statement runs in a subshell",
    /if\((\w)\.deferredError\)throw new \w+\([^;]{1,80}\);if\(this\.ctx\.state\.options\.noexec\)return \w+;/g,
    '$&repairs.beginReading();this.ctx.state.statement=$1;if($1.background)return repairs.recordJob(this.ctx,await this.executeCommand(repairs.asSubshell($1),"",!0));',
  ],
  [
    "wait returns the exit codes of background jobs",
    /if\((\w)==="wait"\)return \w+(;if\(\1==="type"\)return await \w+\((\w),(\w),)/g,
    'if($1==="wait")return repairs.wait($3,$4)$2',
  ],
  [
    "mapfile accepts the value of an option without a space",
    /(if\((\w)==="mapfile"\|\|\2==="readarray"\)return \w+\(\w,)(\w)(,\w\);)/g,
    "$1repairs.mapfileWords($3)$4",
  ],
  [
    "/dev/stdin as an argument contains the command's standard input",
    /async function \w+\(\w,(\w),(\w),(\w),\w\)\{let\{ctx:(\w),buildExportedEnv:\w,executeUserScript:\w\}=\w,\w=await \w+\(\4,\1,\w\?"\/usr\/bin:\/bin":void 0\);/g,
    '$&if($2.includes("/dev/stdin"))await $4.fs.writeFile("/dev/stdin",$3||$4.state.groupStdin||"","binary");',
  ],
  [
    "A nested $(( counts as two open parentheses",
    /(parseArithmeticExpansion\(\w,\w\)\{let \w=\w\+3,\w=1,(\w)=0[^]{1,90}?)\w\+\+,(\w)\+=3(\):\(\2\+\+,[^?]{1,60}\?\()\w\+\+,/g,
    "$1$2+=2,$3+=3$4$2+=2,",
  ],
  [
    "(( )) is parsed from the source text, including quotes",
    /(parseArithmeticCommand\(\)\{let (\w)=this\.expect\(\w\.DPAREN_START\),(\w)=""[^]{1,1000}?this\.parseArithmeticExpression\()(?=\3\.trim\(\)\))/g,
    "$1repairs.arithmeticText(this._input,$2.end)??",
  ],
  [
    "Quotes are removed from arithmetic, except within command substitutions",
    /(function \w+\((\w),(\w)\)\{let \w=)\w+(\(\3\),\{expr:\w,pos:\w\}=[$\w]+\(\2,\w,0\),\w=\w+\(\w,\w\);if\(\w<\w\.length\)\{let \w=\3\.slice\(\w\)\.trim\(\);if\(\w\)return\{type:"ArithmeticExpression")/g,
    "$1repairs.withoutQuotes$4",
  ],
  [
    "exec ends the shell with the result of its command",
    /((\w)=await \w+\(this\.ctx,\2,\w\.redirections,[^]{1,160}?internalProducerOmitsShellPrefix\),\w\.finish\(\),(\w)\)throw \3;)(?=if\((\w)\.length>0\)\{let \w=\4\[\4\.length-1\];if\(\((\w)==="declare")/g,
    '$1if($5==="exec")await repairs.exec(this,$2);',
  ],
  [
    "Operations on lists change each element, and quotes in an alternative are respected",
    /async function (\w+)\((\w),(\w)\)\{(?=return [$\w]+\(\2,\3,\w+\(\)\)\}function \w+\(\w\)\{for\(let \w of \w\)\{if\(\w\.type==="ParameterExpansion"\)return \w\.parameter)/g,
    "$&let changed=await repairs.expandElementwise($2.state,$3,word=>$1($2,word));if(changed!==void 0)return changed;" +
      "let own=await repairs.expandAlternatives($2.state,$3,word=>$1($2,word));if(own!==void 0)return own;",
  ],
  [
    "The #! line counts in line numbers",
    /(if\((\w)\.startsWith\("#!"\)\)\{let (\w)=\2\.indexOf\(`\n`\);\3!==-1&&\(\2=\2\.slice\(\3)\+1(\)\)\}let \w=\w\.execWithInheritedStdin;)/g,
    "$1$4",
  ],
  [
    "The parser keeps the elements of a list given to local or declare",
    /((\w)=\w+\((\w)\);\3\.expect\(\w\.RPAREN\);let \w=\2\.map\(\w=>[\w$.]+\(\3,\w\)\),\w=`\$\{\w\}=\(\$\{\w\.join\(" "\)\}\)`;\w\.push\()(\3\.parseWordFromString\(\w,!1,!1,!0\))(?=\))/g,
    "$1Object.assign($4,{elements:$2})",
  ],
  [
    "Elements of a list given to local or declare may expand to several words",
    /(async function \w+\((\w),(\w)\)\{)(?=let \w="",\w=0;for\(let \w of \3\.parts\)\{let \w=\w\.type==="Literal"\?\w\.value:"\\0",\w=\w\(\w\);if\(\w>\2\.limits\.maxStringLength-\w\)throw new \w\(`array assignment string[^]{1,1800}?await (\w+)\(\2,\{type:"Word",parts:\[\w\]\}\);for\(let \w of \w\.values\))/g,
    "$1let own=await repairs.listAssignmentText($3,word=>$4($2,word));if(own!==void 0)return own;",
  ],
  [
    "An array element may look like an assignment, and contains spaces between brackets at its start",
    /((\w)\.isWord\(\))(\?\w\.push\(\2\.parseWord\(\)\):\w+\.has\(\2\.current\(\)\.type\)\?\2\.error\([^;]{1,160};return )(\w)/g,
    '($1||$2.current().type==="ASSIGNMENT_WORD")$3repairs.withWholeKeys($4)',
  ],
  [
    "A name reference may refer to an array",
    /function (\w+)\((\w),(\w)\)\{return \2\.state\.arrays\?\.get\(\3\)\}(function [\w$]+\((\w),(\w),\w="indexed"\)\{)([^]{1,300}?function [\w$]+\((\w),(\w)\)\{)(?=return \8\.state\.arrays\?\.has\(\9\))/g,
    "function $1($2,$3){return repairs.arrayOf($2.state,$3)}$4$6=repairs.resolveReference($5.state,$6);$7$9=repairs.resolveReference($8.state,$9);",
  ],
  [
    "A list may be assigned through a name reference",
    /(\w+\(\w,(\w)\)\)\{let \w=\w+\(\w,\2\);if\(\w===void 0\|\|\w===""\)throw new \w+\(1,"",""\);let (\w)=\w+\(\w,\2\);if\(\3&&[^]{1,200}?cannot assign list to array member\n`,1\)\})\}/g,
    "$1;$2=$3??$2}",
  ],
  [
    "A nested shell has its own options and read-only variables",
    /(async execInScope\(\w,\w,\w,(\w),[^]{1,1900}?)options:\{\.\.\.this\.state\.options\},/g,
    "$1readonlyVars:new Set(),shoptOptions:{...this.state.shoptOptions},options:repairs.startingOptions(this.state.options,$2),",
  ],
  [
    "EPOCHSECONDS and EPOCHREALTIME exist",
    /(?=case"SECONDS":return String\(Math\.floor)/g,
    'case"EPOCHSECONDS":return String(Math.floor(Date.now()/1e3));case"EPOCHREALTIME":return(Date.now()/1e3).toFixed(6);',
  ],
  [
    "EPOCHSECONDS and EPOCHREALTIME count as set",
    /"RANDOM","SECONDS",(?="BASH_VERSION","!","BASHPID")/g,
    '$&"EPOCHSECONDS","EPOCHREALTIME",',
  ],
  [
    "source reads /dev/stdin",
    /(if\((\w)==="source"\|\|\2==="\."\))(return \w+\((\w),(\w)\))(;if\(\2==="read"\)return \w+\(\4,\5,(\w),)/g,
    '$1{if($5.includes("/dev/stdin"))await $4.fs.writeFile("/dev/stdin",$7||$4.state.groupStdin||"","binary");$3}$6',
  ],
  [
    "Within a pipeline, a duplicate of stdout still refers to the original stdout",
    /(async function \w+\((\w),(\w),(\w)\)\{let )(\w=\3\.timed\?[^]{1,1200}?)await \4\((\w),(\w)\)(\}catch[^]{1,3200}?)(?=(\w)=\2\.executionScope\.accountResult\(\9,"pipeline"\);let\{internalPipeStatusOverride)/g,
    "$1own=[],$5await($6===$3.commands.at(-1)?$4($6,$7):repairs.withSeparateStdout($2,own,()=>$4($6,$7)))$8$9=repairs.prependOutput(own,$9),",
  ],
  [
    "A command of a pipeline reads the pipe, and has its own directory and loop depth",
    /(let \w=\w\.commands\[\w\],\w=\w===\w\.commands\.length-1,(\w)=\w===0;)((\w)&&\((\w)\.state\.lastArg="",\5\.state\.groupStdin=\2[^]{1,2000}?finally\{)(?=\4&&\(\2&&\(\w=\5\.state\.groupStdin)/g,
    "$1let plug=$4?repairs.enterPipe($5.state,$2):()=>{};$3plug();",
  ],
  [
    "set -e ignores failures before && or || and after !, also within functions",
    /(let (\w)=(\w)\.pipelines\[\w\],\w=\w>0\?\3\.operators\[[^;]{1,99};if\([^;]{1,99}\)continue;let (\w)=)(await this\.executePipeline\(\2\));/g,
    "$1null,held=this.ctx.state.inCondition;this.ctx.state.inCondition=held||$2.negated||$2!==$3.pipelines.at(-1);" +
      "try{$4=repairs.prependSubstitutionOutput(this.ctx,$5)}finally{this.ctx.state.inCondition=held}",
  ],
  [
    "The ERR trap runs when a statement fails",
    /(let \w=\w<(\w)\.pipelines\.length-1,\w=this\.ctx\.state\.errexitSafe;if\(this\.ctx\.state\.errexitSafe=[^,]{1,20},)this\.ctx\.state\.options\.errexit&&((\w)!==0&&[^)]{1,120})\)(?=\{let \w=new \w+\(\4\);throw \w\.prependOutput\((\w)\.stdout)/g,
    "$1$3&&await repairs.runErrTrap(this.ctx,$5,{exitCode:$4,statement:$2})&&this.ctx.state.options.errexit)",
  ],
  [
    "set -E lets functions inherit the ERR trap",
    /\["E",null\]([^]{1,2000}?)\["errtrace",null\]/g,
    '["E","errtrace"]$1["errtrace","errtrace"]',
  ],
  [
    "The EXIT trap runs at the end of a shell",
    /(=await )(new \w+\(\w,\w\))\.executeScript\((\w)\)/g,
    "$1repairs.runShell($2.ctx,$3)",
  ],
  [
    "The EXIT trap runs at the end of a subshell",
    /(\w=>)(\w+\((\w),\w,\w\.stdin\?\?\w,\w,\w\|\|\w\.stdin!==void 0\))(?=\)\}finally\{let \w=new Map;for)/g,
    "$1repairs.withTraps($3,()=>$2)",
  ],
  [
    "The EXIT trap runs at the end of a command substitution, which does not inherit set -e",
    /(suppressVerbose=!0;try\{let \w=await )(\w)\.executeScript\((\w\.body)\)(?=,\w=\w\.exitCode;\2\.state\.env=)/g,
    "$1repairs.runSubstitution($2,$3)",
  ],
  [
    "A failing && at a function's end fails its caller; break stays within a function; trap exists; local is like declare",
    /if\((\w)==="local"\)(return \w+\((\w),(\w)\))(;[^]{1,900}?\1==="declare"\|\|\1==="typeset"\)return )(\w+)(\([^]{1,120}?functions\.get\(\1\);if\(\w\))return (\w+\([^)]+\))/g,
    'if($1==="trap")return repairs.trap($3,$4);if($1==="kill")return repairs.kill($3,$4);if($1==="umask")return repairs.umask($4);if(/^(?:local|declare|typeset)$/.test($1))repairs.hideOuter($3.state,$4),repairs.inheritArrayKind($3.state,$4);' +
      'if($1==="local"){if($3.state.localScopes.length>0&&$4.some(a=>/^-\\w*[Aairulx]|=\\(\\[/.test(a)))return $6($3,$4);$2}' +
      "$5$6$7{let own=await repairs.outsideLoops($3.state,()=>$8);$3.state.errexitSafe=!1;return own}",
  ],
  [
    "Elements of an associative array may contain spaces",
    /(\/\^\\\[\.\+\\\]=\/\.test\((\w)\)\?\w=)\2(?=:\2===""\?\w="''")/g,
    "$1repairs.quoteElement($2)",
  ],
  [
    "A default value is used under set -u",
    /(let (\w)=\w\.parameter,\w=await \w+\(\w,\2\),\w=await \w+\(\w,\2)(?=\),\w=\w==="",\w=\w\.checkEmpty)/g,
    "$1,!1",
  ],
  [
    "${a[*]} is joined with IFS, also in here-strings",
    /(if\((\w)==="@"\|\|\2==="\*"\)\{let (\w)=\w+\((\w),\w\);if\(\3\.length>0\)return \3\.map\(\(\[,(\w)\]\)=>\5\)\.join\()" "/g,
    '$1$2==="*"?repairs.fieldSeparator($4.state.env):" "',
  ],
  [
    "An empty input file counts as input",
    /(:\{\.\.\.await \w+\(\w,\w,\w,\w,\w)(\),internalProducerCommand:\w\}\})/g,
    "$1,l$2",
  ],
  [
    "A command with its own input does not read that of the loop around it",
    /(async function \w+\(\w,\w,\w,\w,\w)(\)\{let\{ctx:\w,buildExportedEnv:\w,executeUserScript:\w\}=[^]{1,1100}?let \w=)(\w)(?=\|\|\w\.state\.groupStdin\|\|"",\w=!1,\w=\w\(\))/g,
    "$1,own$2own?$3:$3",
  ],
  [
    "A command takes what it reads from the input of the group or loop around it",
    /(\w)\.internalStdinConsumed\?\?\((\w)\?(\w)\.length:0\)/g,
    'repairs.inputTaken(i.state,t,{result:$1,input:d,isShared:!own&&$3==="",isRead:$2})',
  ],
  [
    "A compound command with its own input does not read the input that exec opened",
    /(let \w=(\w)\.state\.groupStdin,\w=\2\.state\.groupStdinSourceFd;)((\w)\.stdin!==void 0&&\(\2\.state\.groupStdin=\4\.stdin,[^;]{1,80};try\{[^{}]{1,160}\}finally\{)/g,
    "$1let own=$4.stdin===void 0||$4.stdinSourceFd===0?()=>{}:repairs.withoutInput($2.state);$3own();",
  ],
  [
    "An assignment without a command substitution succeeds",
    /(this\.ctx\.state\.expansionStderr="",\w+\("",\w,)(this\.ctx\.state\.lastExitCode)(?=\)\}let (\w)=(\w)\.name&&)/g,
    "$1repairs.hasCommandSubstitution($4.assignments)?$2:0",
  ],
  [
    "Command substitutions in $(( )) can call functions",
    /(async function (\w+)\(\w,\w,\w=!1\)\{if\(\w\.type==="ParameterExpansion"\)return[^]{1,15000}?new (\w+),\{expr:[^]{1,1500}?case"ArithCommandSubst":\{if\((\w)\.execFn\)\{let \w=)await \4\.execFn\((\w)\.command,\{signal:\4\.state\.signal\}\)/g,
    '$1{stdout:await $2($4,{type:"CommandSubstitution",body:new $3().parse($5.command)})}',
  ],
  [
    "$(( )) supports every parameter expansion",
    /(async function (\w+)\(\w,\w,\w=!1\)\{if\(\w\.type==="ParameterExpansion"\)return[^]{1,15000}?async function (\w+)\(\w,\w,\w\)\{if\(!\w\)return 0;let [^]{1,400}?new (\w+),\{expr:[^]{1,4000}?case"ArithBracedExpansion":)\{let \w=await \w+\((\w),(\w)\.content\);return repairs\.parseInteger\(\w\)\}/g,
    "$1return await $3($5,await $2($5,repairs.parseBraced(new $4(),$6.content)),{visited:new Set(),depth:0});",
  ],
  [
    "A glob pattern that ends with a slash matches only directories",
    /(return )(this\.filterGlobignore\(\w\))(?=\}isGlobstarValid\((\w)\))/g,
    '$1$3.endsWith("/")?repairs.onlyDirectories(this,$2):$2',
  ],
  [
    "** matches directories, and nothing hidden",
    /this(\.isGlobstarValid\((\w)\)\)\w=await )this\.expandRecursive\(/g,
    "this$1repairs.globstar(this,",
  ],
  [
    "~ is literal in a here-document",
    /(?<=function \w+\(\w,\w,\w=!1,\w=!1,\w=!1,(\w)=!1,[^]{1,3000}?if\(\w==="~")(?=\)\{let \w=\w>0\?\w\[\w-1\]:"")/g,
    "&&!$1",
  ],
  [
    "${#@} is the number of arguments",
    /function \w+\((\w),(\w),\w\)\{\1\.coverage\?\.hit\("bash:expansion:length"\);/g,
    '$&if($2==="@"||$2==="*")return $1.state.env.get("#")??"0";',
  ],
  [
    "Whitespace at the start of an unquoted expansion ends the word before it",
    /if\((\w)&&(\w)&&(\w)===""&&\((\w+)\((\w),(\w),""\),(\w)=!0\),(?=(\w)\.length===0\)\w&&\((\w)=!0\);)/g,
    '$&($2||$9)&&$8.length>0&&$8[0]!==""&&$3!==""&&($4($5,$6,$3),$7=!0,$3="",$9=!1),',
  ],
  [
    "type prints the complete function",
    /(function (\w+)\((\w)\)\{let \w=\[\];for\(let (\w)=0;\4<\3\.pipelines\.length;\4\+\+\)\w\.push\([^]{1,900000}?function \w+\((\w),(\w)\)\{)(?=let \w;return \6\.body\.type==="Group"\?\w=\6\.body\.body\.map\()/g,
    "$1return `$${$5} is a function\\n`+repairs.functionText($5,$6,$2);",
  ],
  [
    "declare -f prints the complete function",
    /(function (\w+)\((\w)\)\{let \w=\[\];for\(let (\w)=0;\4<\3\.pipelines\.length;\4\+\+\)\w\.push\([^]{1,900000}?if\(\w\)\{)if\((\w)\.length===0\)\{let \w="",\w=Array\.from\((\w)\.state\.functions\.keys\(\)\)\.sort\(\);for[^]{1,60}# function body\n\}\n`;return [$\w]+\(\w\)\}let (\w)=!0;for\(let (\w) of \5\)\6\.state\.functions\.has\(\8\)\|\|\(\7=!1\);return (\w+)\("",/g,
    "$1let all=$6.state.functions,asked=$5.length===0?[...all.keys()].sort():$5,$7=asked.every(a=>all.has(a));" +
      'return $9(asked.filter(a=>all.has(a)).map(a=>repairs.functionText(a,all.get(a),$2)).join(""),',
  ],
  [
    "Commands that run other commands pass the environment on",
    /(exportedEnv:(\w),get stdin\(\)[^]{1,200}?exec:\((\w),(\w)\)=>\w\.execFn\(\3,)\4(,!1\),execWithInheritedStdin:\(\3,\4\)=>\w\.execFn\(\3,\{\.\.\.\4,)/g,
    "$1{...$4,env:$4.replaceEnv?$4.env:{...$2,...$4.env}}$5env:$4.replaceEnv?$4.env:{...$2,...$4.env},",
  ],
  [
    "Nested shells export the environment that they were given",
    /(\w=\{\.\.\.this\.state,)(?=env:\w,arrays:(\w)\.replaceEnv\?new Map)/g,
    '$1currentSource:$2.env?.["=source"]||void 0,exportedVars:repairs.exportedNames(this.state.exportedVars,$2),',
  ],
  [
    "Operators within (( )) need no spaces",
    /(\w)\.length>0&&!\1\.endsWith\(" "\)&&!\((\w)==="="&&[^;]{1,40}\.test\(\1\)\)&&!\(\2==="<"&&(\w)==="<"\)&&!\(\2===">"&&\3===">"\)&&(?=\(\1\+=" "\))/g,
    "this.current().start>this.tokens[this.pos-1].end&&",
  ],
  [
    "<< within (( )) is a shift, not a here-document",
    /if\((\w)==="<"&&(\w)==="<"(&&\w==="-"\)return this\.pos=[^]{1,400}?)if\(\1==="<"&&\2==="<"\)/g,
    'if(this.dparenDepth===0&&$1==="<"&&$2==="<"$3if(this.dparenDepth===0&&$1==="<"&&$2==="<")',
  ],
  [
    "(( begins arithmetic unless its parentheses close separately",
    /this\.looksLikeNestedSubshells\((\w\+2)\)\|\|this\.dparenClosesWithSpacedParens\(\1\)/g,
    "repairs.isNestedSubshell(this.input,$1)",
  ],
  [
    "A for loop without a list iterates over the arguments without splitting them",
    /\((\w)\.state\.env\.get\("@"\)\|\|""\)\.split\(" "\)\.filter\(Boolean\)/g,
    "repairs.positionalParameters($1.state.env)",
  ],
  [
    "[[ =~ ]] uses POSIX regular expressions",
    /,\w=\w+\((\w)\),(\w)=\w+\(\w,(\w)\?"i":""\)\.match\((\w)\)(?=;if\(\w+\(\w,"BASH_REMATCH"\),\2\))/g,
    ",$2=repairs.conditionRegex(repairs.inLocale(e.state.env,$1),$3).exec(repairs.inLocale(e.state.env,$4))",
  ],
  [
    "A brace range is complete, or an error",
    /var (\w+)=1e4(,\w+=\{maxResults:)\1(,maxStringBytes:[^]{1,60}function \w+\((\w),(\w),(\w),(\w)\)\{)if\(\4\.length>=\6\.maxResults\)return!1(;let \w=\w\(\5\);if\(\w>\6\.maxStringBytes-\7\.value\)throw new (\w+)\()/g,
    'var $1=1/0$21e5$3if($4.length>=$6.maxResults)throw new $9("too many words of a range in braces (>"+$6.maxResults+")","array_elements")$8',
  ],
  [
    "Brace expansion has no limit of its own",
    /(var \w+=)1e5(?=;async function \w+\(\w,\w,\w=\{count:0\}\)\{let \w=\(\)=>\{\w\.count\+\+)/g,
    "$11/0",
  ],
  [
    "Numbers of a brace range are as wide as its wider end if either end has a leading zero",
    /if\((\w)\?\.match\(\/\^-\?0\\d\/\)&&\((\w)=Math\.max\(\2,\1\.replace\(\/\^-\/,""\)\.length\)\),(\w)\?\.match\(\/\^-\?0\\d\/\)&&\(\2=Math\.max\(\2,\3\.replace\(\/\^-\/,""\)\.length\)\),([^]{1,250}?String\(Math\.abs\(\w\)\)\.padStart\()\2/g,
    "if([$1,$3].some(end=>/^-?0\\d/.test(end))&&($2=Math.max($1.length,$3.length)),$4p?$2-1:$2",
  ],
  [
    "An error of an expansion ends the commands of its line",
    /(this\.ctx\.executionScope,"script"\);)(for\(let (\w) of )(\w\.statements)(\)try\{let \w=await this\.executeStatement\(\3\);[^]{1,1800}?=1,this\.ctx\.state\.lastExitCode=\w,this\.ctx\.state\.env\.set\("\?",String\(\w\)\));continue\}/g,
    "$1let failed={};$2repairs.notDiscarded($4,failed)$5;failed.line=repairs.lineOf($3);continue}",
  ],
  [
    "An error of an expansion also ends the lists and loops around it",
    /return (\w) instanceof (\w+)\|\|\1 instanceof (\w+)\|\|\1 instanceof (\w+)(\}var \w+,\2,\3,\4,[^]+?function \w+\((\w),\w,\w,\w\)\{if\(\6 instanceof \2\)[^]{1,600}?if\()(?=\6 instanceof \4\|\|)/g,
    "return $1 instanceof $2||$1 instanceof $3||$1 instanceof $4||repairs.isDiscarding($1)$5repairs.isDiscarding($6)||",
  ],
  [
    "An error of an expansion ends the subshell around it",
    /(\w instanceof \w+\|\|(\w) instanceof \w+\?\(\w\.append\("stdout",[^?]{1,200}?\.build\(0\)\):)(\2 instanceof [^?]{1,60}\?\([^?]{1,200}?\.build\(\2\.exitCode)(?=\)\):)/g,
    "$1repairs.isDiscarding($2)||$3??1",
  ],
  [
    "An error of an expansion ends its command of a pipe only",
    /(exitCode:1\};else if\()((\w) instanceof \w+)(&&\w\.commands\.length>1\)\w=\{stdout:\3\.stdout,stderr:\3\.stderr,exitCode:\3\.exitCode)(?=\})/g,
    "$1($2||repairs.isDiscarding($3))$4??1",
  ],
];
