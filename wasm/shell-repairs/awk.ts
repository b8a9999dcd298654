import type { Repair } from "./repair.ts";

/** Patches of just-bash's awk. */
export const AWK_REPAIRS: readonly Repair[] = [
  [
    "Loops end when the call is over",
    /"while execution"\)[^]{1,2000}?`awk: for loop exceeded/g,
    (code) => code.replace(/(?<=if\((\w)\+\+,)(?=\1>)/g, "repairs.endIfOver($1),"),
  ],
  [
    "The loop over records ends when the call is over",
    /(?<=(this\.ctx\.recordsProcessed)\+\+,)(?=\1>)/g,
    "repairs.endIfOver($1),",
  ],
  [
    "int truncates towards zero",
    /(?<=async function \w+\(\w,\w,\w\)\{return \w\.length===0\?0:Math\.)floor(?=\()/g,
    "trunc",
  ],
  [
    "Referring to an array element creates it",
    /return (\w\.arrays\[\w\]\?\.\[(\w)\])\?\?""(?=\}function (\w+)\((\w),(\w),\2,\w\)\{)/g,
    "let found=$1;if(found===void 0)$3($4,$5,$2,found=repairs.UNSET);return found",
  ],
  [
    "-v sets built-in variables such as OFS",
    /(\w)\.FS=\w,\1\.vars=Object\.assign\(Object\.create\(null\),(\w)\)/g,
    '$&;for(let name of["OFS","ORS","SUBSEP","OFMT"])if(name in $2)$1[name]=$2[name];for(let name in $2)repairs.refuseVariable(name),$1.vars[name]=repairs.inputValue($2[name]);$1.vars=$1.vars',
  ],
  [
    "-v sets FS",
    /(\w)=(\w+)\(\w\.slice\(2\)\),(\w)=(\w+)\(\1\),\w=\w\+1;else if\(\w==="-v"[^]{1,120}?let (\w)=\w\.slice\(0,\w\),(\w)=\2\([^{}]{1,30}\);(?=\w\[\5\]=\6\})/g,
    '$&if($5==="FS")$1=$6,$3=$4($6);',
  ],
  [
    "RS separates records",
    /(let \w=)(\w)\.split\(`\n`\)(?=;if\((\w)\.length>0&&\3\[\3\.length-1\]===""&&\3\.pop\(\),\3\.length>\w\)[^;]{1,90};for\((\w)\.FILENAME=)/g,
    "$1repairs.splitRecords($2,$4.vars.RS)",
  ],
  [
    "An FS of one character is literal",
    /(function \w+\((\w)\)\{if\(\2===" "\)return \w+\("\\\\s\+"\);if\()(?=\/\[\[\\\]\(\)\{\}\.\*)/g,
    "$1$2.length>1&&",
  ],
  [
    "An FS of one character that the program sets is literal",
    /(\w\.FS=(\w),\2===" "\)\w\.fieldSep=new \w+\(\/\\s\+\/\);else try\{)/g,
    "$1if($2.length===1)throw $2;",
  ],
  [
    "split takes one character literally, trims for a space, and finds no parts in an empty text",
    /(\w)=(\w)===" "\?(\w+)\("\\\\s\+"\):\2\}\}else (\w)\.FS===" "&&\(\1=\w+\("\\\\s\+"\)\);([^]{1,200}?,\w=)(typeof \1=="string"\?(\w)\.split)/g,
    '$1=$2.length>1?$3($2):$2}}else $4.FS.length>1&&($1=$4.fieldSep);$5$7===""?[]:$1===" "?repairs.splitWords($7):$6',
  ],
  [
    "Fields are separated by spaces, tabs and line ends; if RS is empty, line ends separate fields besides FS",
    /(function \w+\((\w),(\w)\)\{return \3===""\?\[\]:\w\.FS===" "\?)\3\.trim\(\)\.split\(\/\\s\+\/\)\.filter\(Boolean\):(\w\.fieldSep\.split\()\3\)/g,
    '$1repairs.splitWords($3):$2.vars.RS===""&&$2.FS.length===1?$3.split("\\n").flatMap(line=>$4line)):$4$3)',
  ],
  [
    "match fills the array of its third argument",
    /(async function \w+\((\w),(\w),\w\)\{if\(\2\.length<2\)return \3\.RSTART=0,[^]{1,200}?;if\()(\w)(?=\)return \3\.RSTART=\4\.index\+1)/g,
    "$1repairs.fillMatchGroups($3,$2[2],$4),$4",
  ],
  [
    "RS, RT and ARGIND can be read",
    /case"ORS":return (\w)\.ORS;/g,
    '$&case"RS":return $1.vars.RS??"\\n";case"RT":return repairs.recordTerminator($1);case"ARGIND":return $1.ARGIND??0;',
  ],
  [
    "printf formats numbers like C",
    /(let (\w)=\w\[\w\],(\w)=\w\[\w!==void 0\?\w:(\w)\];)(?=switch\(\2\)\{case"s":\{let \w=\3!==void 0\?String\(\3\):"";if\((\w)&&)/g,
    "$1if($2&&$3===void 0&&/[a-zA-Z]/.test($2))throw new Error(`there are too few values for the format ${e}`);" +
      'if($2==="s"||$2==="c"){l(repairs.formatText({letter:$2,flags:u,width:f,precision:$5},$3)),p===void 0&&$4++,o=c+1;continue}if($2&&/[dieEfFgGxXou]/.test($2)){l(repairs.formatNumber({letter:$2,flags:u,width:f,precision:$5},$3)),p===void 0&&$4++,o=c+1;continue}',
  ],
  [
    "Numbers become text like in C",
    /(function \w+\((\w)\)\{return typeof \2=="string"\?\2:)\(Number\.isInteger\(\2\),String\(\2\)\)(?=\}function \w+\(\w\)\{if\(typeof)/g,
    "$1repairs.numberText($2)",
  ],
  [
    "Numbers become text like in C within built-in functions",
    /(function \w+\((\w)\)\{return typeof \2=="string"\?\2:)\(Number\.isInteger\(\2\),String\(\2\)\)(?=\}function \w+\(\w\)\{return new)/g,
    "$1repairs.numberText($2)",
  ],
  [
    "Concatenation comes before comparison",
    /(parseIn\(\)\{let \w=this\.)parseConcatenation(\(\)[^]{1,300}?parseConcatenation\(\)\{let \w=this\.)parseMatch(\(\)[^]{1,120}?let \w=this\.)parseMatch(\(\)[^]{1,400}?parseComparison\(\)\{let \w=this\.)parseAddSub(\(\)[^]{1,120}?\w=this\.)parseAddSub/g,
    "$1parseMatch$2parseAddSub$3parseAddSub$4parseConcatenation$5parseConcatenation",
  ],
  [
    "Concatenation comes before comparison in print",
    /(function (\w+)\(\w\)\{let \w=)(\w+)(\(\w\);if\(\w\.check\(\w+\.IN\)[^]{1,160}?function \3\((\w)\)\{let \w=)(\w+)\(\5\)([^]{1,80}?let \w=)\6\(\5\)([^]{1,400}?function \w+\((\w)\)\{let \w=)\9\.parseAddSub\(\)([^]{1,120}?,\w=)\9\.parseAddSub\(\)/g,
    "$1$6$4$5.parseAddSub()$7$5.parseAddSub()$8$3($9)$10$3($9)",
  ],
  [
    "A field reference comes before ^",
    /return this\.parseFieldIndexPower\(\)/g,
    "return this.parseFieldIndexPrimary()",
  ],
  [
    "length needs no parentheses",
    /(\{type:"array_access",array:(\w),key:\w\}\})return(\{type:"variable",name:\2\})(?=\}throw new Error\(`Unexpected token: \$\{this)/g,
    '$1return $2==="length"?{type:"call",name:$2,args:[]}:$3',
  ],
  [
    "Input that looks like a number is compared as a number, and a string constant as text",
    /(if\(\w+\(\w\)\)return \w+\()(\w,\w)(,\w\);let \w=\w+\(\w\),\w=\w+\(\w\);return \w+\(\w,\w,\w\)\}function)/g,
    "$1...repairs.comparisonOperands($2)$3",
  ],
  [
    "Input that looks like a number is true unless it is 0",
    /(function \w+\((\w)\)\{return )typeof \2=="number"\?\2!==0:!\(\2===""\|\|\2==="0"\)/g,
    "$1repairs.isTrue($2)",
  ],
  [
    "Fields may be numeric strings",
    /(function \w+\(\w,(\w)\)\{return )(\2===0\?(\w)\.line:)\2<0\|\|\2>\4\.fields\.length\?"":(\4\.fields\[\2-1\])\?\?""\}/g,
    '$1repairs.inputValue($3$5??"")}',
  ],
  [
    "Records may be numeric strings; getline splits by RS and reads standard input",
    /"getline evaluation"[^]{1,2600}?"tuple evaluation"/g,
    (code) =>
      code
        .replace(/(?<=\?\w+\(\w,\w,)\w(?=\):\w+\(\w,\w\),)/g, "repairs.inputValue($&)")
        .replace(/(\w)\.readFile\((\w)\)/, '(s==="-"?e.standardInput():$1.readFile($2))')
        .replaceAll(".split(`\n`)", ".split(repairs.recordSplitter(e.vars.RS))"),
  ],
  [
    "ARGV and ENVIRON may contain numeric strings",
    /if\((\w)==="ARGV"\)return (\w\.ARGV\[\w\]\?\?"");if\(\1==="ENVIRON"\)return (\w\.ENVIRON\[\w\]\?\?"");/g,
    'if($1==="ARGV")return repairs.inputValue($2);if($1==="ENVIRON")return repairs.inputValue($3);',
  ],
  [
    "Parts of split may be numeric strings",
    /(?<=\w\.arrays\[\w\]\[String\(\w\+1\)\]=)\w\[\w\](?=;return \w\.arrayElementCount\+=)/g,
    "repairs.inputValue($&)",
  ],
  [
    "Unset variables are both 0 and the empty text",
    /(?<=case"ARGC":return \w\.ARGC\}return \w\.vars\[\w\]\?\?)""/g,
    "repairs.UNSET",
  ],
  ["A function that returns nothing yields an unset value", /(?<=let \w=\w\.returnValue\?\?)""/g, "repairs.UNSET"],
  [
    "print writes all digits of an integer",
    /(typeof (\w)=="number"\?Number\.isInteger\(\2\))&&Math\.abs\(\2\)<Number\.MAX_SAFE_INTEGER\?(\w\.push\()String\(\2\)/g,
    "$1?$3repairs.numberText($2)",
  ],
  [
    "srand seeds the random numbers",
    /(async function \w+\(\w,(\w),\w\)\{let (\w)=\w\.length>0\?\w+\(await \w\.evalExpr\(\w\[0\]\)\):)Date\.now\(\);return \2\.vars\._srand_seed=\3,\3\}/g,
    "$1void 0;return repairs.seedRandom($2,$3)}",
  ],
  [
    "Redirections to /dev/stdout and - write to standard output",
    /(\.fs;if\(!\w\|\|!\w\.cwd\)\{(\w\.output\+=\w,\w+\(\w\));return\}let (\w)=\w+\(await \w+\(\w,"redirection filename evaluation",\(\)=>\w+\(\w,\w\)\)\)),(\w=)/g,
    '$1;if($3==="/dev/stdout"||$3==="-"){$2;return}let $4',
  ],
  [
    "print accepts a list in parentheses",
    /function \w+\((\w)\)\{\1\.expect\(\w+\.PRINT\);/g,
    "$&repairs.removeListParentheses($1);",
  ],
  [
    "length counts the elements of an array",
    /(?<=async function \w+\((\w),(\w),\w\)\{)(?=return \1\.length===0\?\2\.line\.length:)/g,
    "let own=$1[0]&&repairs.arrayNamed($2,$1[0]);if(own)return Object.keys(own).length;",
  ],
  [
    "print accepts a pipe to a command, and a concatenation as a file's name",
    /\w\.check\(\w+\.GT\)\?\(\w\.advance\(\),\w=\{redirect:">",[^]{1,160}?\{type:"print",[^]{1,3600}?\{type:"printf",format/g,
    (code) =>
      code
        .replace(
          /(\w)\.check\((\w+)\.APPEND\)&&\(\1\.advance\(\),(\w)=\{redirect:">>",file:\1\.parsePrimary\(\)\}\)/g,
          '$&||$1.check($2.PIPE)&&($1.advance(),$3={redirect:"|",file:$1.parseConcatenation()})',
        )
        .replaceAll(".parsePrimary()", ".parseConcatenation()"),
  ],
  [
    "Text printed to a command is collected as its input",
    /(async function \w+\((\w),(\w),\w,(\w)\)\{\w+\(\2,"file write execution"\);[^]{1,120}?let (\w)=\w+\(await \w+\(\2,"redirection filename evaluation",\(\)=>\w+\(\2,\w\)\)\);)/g,
    '$1if($3==="|"){repairs.printToCommand($2,$5,$4);return}',
  ],
  [
    "exec accepts options, such as the input of a command",
    /exec:(\w)\?(\w)=>(\w)\("command pipe exec",\(\)=>\1\(\2,\{cwd:(\w)\.cwd,signal:\4\.signal\}\)\)/g,
    'exec:$1?($2,own)=>$3("command pipe exec",()=>$1($2,{cwd:$4.cwd,signal:$4.signal,...own}))',
  ],
  [
    "close runs the command of a pipe; system runs commands",
    /\["system",\w+\("system","[^"]*"\)\],\["close",\(\)=>0\]/g,
    '["system",async(a,t,n)=>repairs.runCommand(t,String(await n.evalExpr(a[0])))],' +
      '["close",async(a,t,n)=>repairs.closeStream(t,String(await n.evalExpr(a[0])))]',
  ],
  [
    "systime, mktime, strftime, asort and asorti exist",
    /\["systime",\w+\("systime"\)\],\["mktime",\w+\("mktime"\)\],\["strftime",\w+\("strftime"\)\]/g,
    "...repairs.GAWK_FUNCTIONS",
  ],
  [
    "The commands of open pipes run at the end",
    /(async executeEnd\(\)\{if\(this\.assertDefenseContext\("END execution entry"\)[^]{1,420}?inEndBlock=!1\})\}/g,
    "$1await repairs.closePipes(this.ctx)}",
  ],
  [
    "The commands of open pipes run after BEGIN if there are no other rules",
    /(if\(!\w&&!\w\)return)(?=\{stdout:(\w)\.getOutput\(\),stderr:"",exitCode:\2\.getExitCode\(\)\};let \w=Math\.min\(\w\.limits\.maxInputBytes)/g,
    "$1 await $2.executeEnd(),",
  ],
  [
    "Parameters are local to a call, and arrays are passed by reference",
    /let (\w)=Object\.create\(null\);for\(let \w of (\w)\.params\)\1\[\w\]=(\w)\.vars\[\w\];let (\w)=\[\];for\([^]{1,80}?if\(\w<(\w)\.length\)[^]{1,120}?"user function argument evaluation",\(\)=>(\w+)\(\3,\w\)\);[^]{1,60}?\}(?=\3\.hasReturn=)([^]{1,250}?)for\(let \w of \2\.params\)\1\[\w\][^;]+;for\(let \w of \4\)\3\.arrayAliases\.delete\(\w\);/g,
    "let leave=await repairs.bindArguments($3,$2,{args:$5,evaluate:one=>$6($3,one)});$7leave();",
  ],
  [
    "Parameters have names that are unique to their function",
    /(\.functions\.set\((\w)\.name,)\2\)/g,
    "$1repairs.withUniqueParameters($2))",
  ],
  [
    "Calling an undefined function is an error",
    /(let (\w)=\w\.functions\.get\((\w)\);return \2\?\w+\(\w,\2,\w\):)""/g,
    "$1(()=>{throw new Error(`function ${$3} is not known here`)})()",
  ],
  [
    "for-in iterates over the array that a parameter refers to",
    /let (\w)=(\w)\.arrays\[(\w)\.array\];if\(\1\)(for\(let \w of )Object\.keys\(\1\)/g,
    "$4repairs.arrayKeys($2,$3.array)",
  ],
  [
    "split fills the array that a parameter refers to",
    /(if\(\w\.type!=="variable"\)return 0;let \w=)(\w\.name)(?=,\w=(\w)\.FS;)/g,
    "$1$3.arrayAliases.get($2)??$2",
  ],
  [
    "for-in iterates over ARGV and ENVIRON",
    /\w\.ARGV\[String\(\w\+1\)\]=\w\[\w\];(\w)\.ENVIRON=[^;]+;/g,
    "$&$1.arrays.ENVIRON=$1.ENVIRON,$1.arrays.ARGV=$1.ARGV;",
  ],
  [
    "A name before a space and a parenthesis is a variable unless it is that of a function",
    /(if\(this\.check\((\w+)\.IDENT\)\)\{let \w=this\.advance\(\)\.value;if\()(?=this\.check\(\2\.LPAREN\)\)\{this\.advance\(\);let \w=\[\];if\(this\.skipNewlines)/g,
    "$1repairs.isFunctionCall(this)&&",
  ],
  [
    "sub and gsub accept an array element as their target",
    /(async function \w+\((\w),(\w)\)\{return \2\?\2\.type==="variable"\?\2\.name:)(?=\2\.type==="field"\?`\$\$\{Math)/g,
    '$1$2.type==="array_access"?{array:$2.array,key:repairs.numberText(await $3.evalExpr($2.key))}:',
  ],
  [
    "sub and gsub read the array element",
    /(?<=function \w+\((\w),(\w)\)\{)(?=if\(\1==="\$0"\)return \2\.line)/g,
    "if($1.array)return repairs.elementText($2,$1);",
  ],
  [
    "sub and gsub write the array element",
    /(?<=function \w+\((\w),(\w),(\w)\)\{)(?=if\(\1==="\$0"\)\3\.line=)/g,
    "if($1.array)return repairs.setElementText($3,$1,$2);",
  ],
  [
    "Division by zero is an error",
    /case"\/":return (\w)!==0\?(\w)\/\1:0;case"%":return \1!==0\?\2%\1:0;/g,
    'case"/":return $2/repairs.requireNonZero($1);case"%":return $2%repairs.requireNonZero($1);',
  ],
  [
    "Division by zero in an assignment is an error",
    /case"\/=":(\w)=(\w)!==0\?(\w)\/\2:0;break;case"%=":\1=\2!==0\?\3%\2:0;/g,
    'case"/=":$1=$3/repairs.requireNonZero($2);break;case"%=":$1=$3%repairs.requireNonZero($2);',
  ],
  [
    "Assigning a variable of gawk that is not supported is an error",
    /(?<=function \w+\((\w),(\w),(\w)\)\{)(?=switch\(\2\)\{case"FS":\w+\()/g,
    "repairs.beforeAssignment($1,$2,$3);",
  ],
  [
    "Assigning an element of PROCINFO that is not supported is an error",
    /(?<=function \w+\((\w),(\w),(\w),\w\)\{)(?=let \w=\w+\(\1,\2\);if\(\1\.arrays\[\w\]\|\|)/g,
    "repairs.refuseVariable($2,$3);",
  ],
  [
    "getline updates FNR, and can read the first file in BEGIN",
    /(?<=return \w+\((\w),\w,\w\);)(?=if\(!\1\.lines\|\|\1\.lineIndex===void 0\)return-1;)([^]{1,160}?\1\.NR\+\+,)/g,
    "$1.lines||await repairs.readAhead($1);$2$1.FNR++,",
  ],
  [
    "getline in BEGIN reads the first operand, or standard input",
    /(\w)\.ENVIRON=\w+\((\w)\.env\);(?=[^]{1,3000}?if\((\w)\.length>0\)for\([^]{1,900}?(\w+)\(\2\.stdin\))/g,
    '$&$1.firstInput=async()=>{let name=$3[0]??"";return{name,text:name===""?$4($2.stdin):await $2.fs.readFile($2.fs.resolvePath($2.cwd,name))}};$1.standardInput=()=>$4($2.stdin);',
  ],
  [
    "The main loop continues after the records read in BEGIN; BEGINFILE and ENDFILE run",
    /(?<=async\(\w,(\w)\)=>\{[^]{1,700})for\((\w)\.FILENAME=(\w),\2\.FNR=0,\2\.lines=(\w),\2\.lineIndex=-1,([^]{1,160}?\(\)=>(\w)\.executeLine\(\w\[\w\]\)\),\w\.shouldExit\|\|\w\.shouldNextFile\)break\})/g,
    'repairs.startFile($2,$3,{text:$1,lines:$4});await repairs.runFileRules($6,"BEGINFILE");for($5await repairs.runFileRules($6,"ENDFILE");',
  ],
  [
    "Operands may be - and assignments; a missing file keeps the output printed before",
    /if\((\w)(\.length>0)\)(for\(let (\w) of \1\)\{)(let \w;try\{let \w=\w\.fs\.resolvePath\(\w\.cwd,\4\)[^]{1,300}?return\{stdout:)""(,stderr:`awk: [^`]+`,exitCode:)1(\}\}[^]{1,80}?"input processing",\(\)=>(\w)\(\4,\w\)\),(\w)\.shouldExit\)break\}else )(?=await \w\("stdin processing",[^]{1,100}?\(\)=>(\w)\.executeEnd)/g,
    "if(repairs.hasFileOperand($1))$3if(await repairs.performAssignment($10,$4))continue;" +
      'if($4==="-"||$4==="/dev/stdin"){if(await $8($4,$9.standardInput()),$9.shouldExit)break;continue}$5$10.getOutput()$6 2$7',
  ],
  [
    "A string used as a pattern may begin and end with a slash",
    /(let (\w)=\w+\(await \w\.evalExpr\(\w\)\);return )\2\.startsWith\("\/"\)&&\2\.endsWith\("\/"\)&&\(\2=\2\.slice\(1,-1\)\),(?=\2\})/g,
    "$1",
  ],
  [
    "exit without a code keeps the previous code",
    /((\w)\.exitCode=\w\?[^]{1,80}?"exit code expression"[^]{1,40}?:)0(?=\}break;case"return")/g,
    "$1$2.exitCode",
  ],
  [
    "The subscript of an assignment is evaluated once",
    /(let \w=await \w+\((\w),"assignment value evaluation",\(\)=>(\w+)\(\2,(\w)\.value\)\),\w=)\4\.target,/g,
    "$1await repairs.evaluateSubscriptOnce($4,one=>$3($2,one)),",
  ],
  [
    "A fourth argument of split is an error",
    /(?<=async function \w+\((\w),(\w),\w\)\{)(?=if\(\1\.length<2\)return 0;let \w=\w+\(await \w\.evalExpr\(\1\[0\]\)\),\w=\1\[1\];if)/g,
    "if($1.length>3)throw new Error('a fourth argument of split is not known here');",
  ],
  [
    "Patterns match leftmost-longest, and a dot matches line ends",
    /function \w+\(\w=\{\}\)\{let\{fieldSep:[^]+?\{name:"awk",flags:\[/g,
    (code) => {
      const [, make = ""] = /\{if\(\w===" "\)return (\w+)\("\\\\s\+"\)/.exec(code) ?? [];
      const [, own = ""] = /\.fieldSep=new (\w+)\(\/\\s\+\/\)/.exec(code) ?? [];
      if (make === "" || own === "") throw new Error("just-bash has changed: awk makes its patterns otherwise");
      return code
        .replaceAll(new RegExp(`(?<![\\w.$])${make}\\(`, "g"), `repairs.awkRegex(one=>new ${own}(one),`)
        .replaceAll(/catch(?:\{return ?(?:!1|0|1)|\((\w)\)\{return \w+\(\1\),(?:0|\w))\}/g, "finally{}")
        .replaceAll("catch{}return", "finally{}return");
    },
  ],
  [
    "Records are not counted before they are split, character by character",
    /let \w=(\w)\.length>0\?1:0;for\(let (\w)=0;\2<\1\.length;\2\+\+\)if\(\1\.charCodeAt\(\2\)===10&&[^{}]{1,60}\{[^{}]{1,20}\}\)`,"array_elements"\);/g,
    "",
  ],
  [
    "print does not measure the whole output each time",
    /let (\w)=(\w)\.maxOutputSize>0\?Math\.max\(0,\2\.maxOutputSize-\w+\(\2\.output\)\):void 0,/g,
    "let $1=$2.maxOutputSize>0?Math.max(0,$2.maxOutputSize-$2.output.length):void 0,",
  ],
  [
    "Appending to a file does not read it",
    /appendFile:async\((\w),(\w)\)=>\{try\{let \w=await \w\("appendFile read"[^]{1,400}?"appendFile create",\(\)=>(\w)\.fs\.writeFile\(\1,\2\)\)\}\}/g,
    "appendFile:($1,$2)=>$3.fs.appendFile($1,$2)",
  ],
  [
    "Awaited calls skip the checks before and after them",
    /async (function \w+\(\w,\w,(\w),(\w)\)\{)\w+\(\w,\w,`\$\{\2\} \(pre-await\)`\);[^]{1,60}?\(post-await\)`\),\w\}/g,
    "$1return $3()}",
  ],
  [
    "Octal and hexadecimal numerals",
    /(readNumber\(\)\{let (\w)=this\.line,(\w)=this\.column,\w="";)(?=for\(;this\.isDigit\(this\.peek\(\)\);\)\w\+=this\.advance\(\);if\(this\.peek\(\)==="\."&&)/g,
    "$1let own=repairs.basedNumeral(this.input.slice(this.pos,this.pos+40));if(own){for(let at=0;at<own.length;at++)this.advance();" +
      'return{type:"NUMBER",value:own.value,line:$2,column:$3}}',
  ],
  [
    "printf accepts the flag that groups digits, which changes nothing in this locale",
    /(?<=for\(;\w<\w\.length&&\/\[-\+ #0)(?=\]\/\.test\(\w\[\w\]\);\)\w\+=\w\[\w\+\+\];if\(\w\[\w\]==="\*"\))/g,
    "'",
  ],
];
