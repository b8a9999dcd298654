/**
 * Builds the WebAssembly guests: each folder under wasm/guests becomes a component (QuickJS and the
 * bundled TypeScript) and its JavaScript bindings in build/wasm/<guest>/. A
 * guest whose sources and tools have not changed is left alone.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transpile } from "@bytecodealliance/jco";
import type { Plugin } from "esbuild";
import { removeUnfinished, replaceFolder } from "./build-folder.ts";
import { buildComponent, type ComponentSource } from "./component.ts";

const here = dirname(fileURLToPath(import.meta.url));
const outDir = join(here, "..", "build", "wasm");

interface Guest {
  readonly name: string;
  /** Says what it can import, hence what it can do. */
  readonly world: string;
  /** What the built component really imports, checked. */
  readonly imports: readonly string[];
  /** URLs of files that run before all others: what the guest's code takes for given, and QuickJS lacks. */
  readonly surroundings?: readonly string[];
}

const PROGRAM_IMPORTS = ["deckhand:sandbox/clock", "deckhand:sandbox/filesystem"];
const SURROUNDINGS = [
  import.meta.resolve("./guests/runtime/clock.ts"),
  import.meta.resolve("./guests/runtime/timers.ts"),
  import.meta.resolve("./guests/runtime/text-encoding.ts"),
];

const GUESTS: readonly Guest[] = [
  { name: "files", world: "files", imports: ["deckhand:sandbox/workspace"] },
  {
    name: "js",
    world: "online-programs",
    imports: [...PROGRAM_IMPORTS, "deckhand:sandbox/console", "deckhand:sandbox/http"],
    surroundings: SURROUNDINGS,
  },
  {
    name: "bash",
    world: "programs",
    imports: PROGRAM_IMPORTS,
    surroundings: [
      ...SURROUNDINGS,
      import.meta.resolve("./guests/runtime/abort.ts"),
      import.meta.resolve("./guests/runtime/crypto.ts"),
      import.meta.resolve("./guests/bash/buffer.ts"),
    ],
  },
  { name: "page", world: "program", imports: [] },
];

/** The packages whose versions shape a component. */
const TOOLS = [
  "@bytecodealliance/jco",
  "@mdream/js",
  "acorn",
  "componentize-qjs",
  "esbuild",
  "just-bash",
  "picomatch",
  "diff",
];

/** Modules that have another place inside a guest: what is Node's is the host's there, what is not offered is absent. */
const REPLACED: Readonly<Record<string, string>> = {
  "node:zlib": import.meta.resolve("./guests/bash/zlib.ts"),
  turndown: import.meta.resolve("./guests/bash/absent.ts"),
};

function sourceHash(guest: Guest): string {
  const files = [
    join(here, "build.ts"),
    join(here, "component.ts"),
    ...globSync(join(here, "wit", "*.wit")),
    ...globSync(join(here, "guests", "*.ts")),
    ...globSync(join(here, "guests", "runtime", "*.ts")),
    ...globSync(join(here, "guests", guest.name, "**", "*.ts")),
    ...TOOLS.map((tool) => join(here, "..", "node_modules", tool, "package.json")),
  ];
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(file.slice(here.length)).update(readFileSync(file));
  return hash.digest("hex");
}

async function isCurrent(guest: Guest, hash: string): Promise<boolean> {
  const stamp = join(outDir, guest.name, "build.json");
  if (!existsSync(stamp)) return false;
  const { sources } = JSON.parse(await readFile(stamp, "utf8"));
  return sources === hash;
}

function sourceOf(guest: Guest): ComponentSource {
  return {
    name: guest.name,
    entry: join(here, "guests", guest.name, "main.ts"),
    wit: join(here, "wit"),
    world: guest.world,
    isAsync: guest.world.endsWith("programs"),
    bundling: {
      mainFields: ["module", "main"],
      alias: Object.fromEntries(Object.entries(REPLACED).map(([name, url]) => [name, fileURLToPath(url)])),
      inject: (guest.surroundings ?? []).map((url) => fileURLToPath(url)),
      plugins: [REPAIRED_SHELL],
    },
  };
}

/** What the guests are built of. */
export function guestSources(): ComponentSource[] {
  return GUESTS.map(sourceOf);
}

async function buildInto(folder: string, guest: Guest, hash: string): Promise<void> {
  const { bundle, component } = await buildComponent(sourceOf(guest), folder);
  const { files, imports } = await transpile(await readFile(component), { name: "guest", instantiation: "async" });
  const unexpected = imports.filter((name) => !guest.imports.some((allowed) => allowed === name));
  if (unexpected.length > 0) throw new Error(`the component imports ${unexpected.join(", ")}`);
  for (const [name, bytes] of Object.entries(files)) {
    if (name.endsWith(".d.ts")) continue;
    await writeFile(join(folder, name), name === "guest.js" ? keepByteOrderMarks(bytes) : bytes);
  }
  await rm(bundle);
  await rm(component);
  await writeFile(join(folder, "package.json"), '{"type":"module"}\n');
  await writeFile(join(folder, "build.json"), `${JSON.stringify({ sources: hash, imports }, null, 2)}\n`);
}

/** What just-bash does otherwise than a shell must, and what its code reads instead. */
const SHELL_REPAIRS: readonly (readonly [why: string, code: RegExp, instead: string])[] = [
  [
    "a redirection that cannot be opened fails one command, not the script",
    /if\(!\w+\)throw \w+;(?=return\{error:\w+\("",`bash: \$\{\w+\}: cannot open redirect)/g,
    "",
  ],
  [
    "ls puts an empty line before the content of a directory, not before each name",
    /if\((\w)>0&&(\w)&&(?=!\2\.endsWith\(`\n\n`\)&&\(\2=\w+\(t,\2,`\n`\)\),(\w)\)\{)/g,
    "if($1>0&&$2&&!$3&&(await t.fs.stat(t.fs.resolvePath(t.cwd,p[$1])).catch(()=>0)).isDirectory&&",
  ],
  [
    "xargs takes the value of an option without a space, such as -n1",
    /(?<=name:"xargs",async execute\((\w),\w\)\{)/g,
    'let own=$1.findIndex((a,i)=>!a.startsWith("-")&&!/^-[nIPLdsEa]$/.test($1[i-1]??""));if(own<0)own=$1.length;' +
      "$1=[...$1.slice(0,own).flatMap(a=>/^-[nIPLdsEa]./.test(a)?[a.slice(0,2),a.slice(2)]:[a]),...$1.slice(own)];",
  ],
  [
    "tac writes each file that is named, not the first alone",
    /(?<=async function (\w+)\(e,t\)\{)(?=if\(e\.length>0&&e\[0\]!=="-"\)\{let s=[^;]+;try\{let o=[^;]+;[^;]+;let a=o\.reverse\(\))/g,
    "if(e.length>1){let all=[];for(let file of e)all.push(await $1([file],t));" +
      'let text=name=>all.map(one=>one[name]).join("");' +
      'return{stdout:text("stdout"),stderr:text("stderr"),exitCode:Math.max(...all.map(one=>one.exitCode))}}',
  ],
  [
    "what md5sum and its like say of a missing file is no part of their output",
    /let (\w)="",(\w)=0;(for\(let \w of \w\)\{let \w=await \w\(\w\);if\(\w===null\)\{)\1(\+=`\$\{\w\}: \$\{\w\}: No such file or directory\n`,\2=1;continue\}\1\+=[^;]+\}return\{stdout:\1,stderr:)""/g,
    'let $1="",$2=0,complaints="";$3complaints$4complaints',
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
    "xargs replaces by lines, and takes quotes away from words",
    /(?<=try\{\w=\w+\(\w,\w,\w\)\}catch[^]{1,200}?\}else \w=)\w+\((\w),\w\)(?=;if\(\w\.length===0\)return \w\?)/g,
    "repairs.xargsWords($1,n!==null)",
  ],
  [
    "sed changes the case of what it replaces",
    /(function (\w+)\((\w),(\w),(\w)\)\{)(?=let \w="",\w=0;for\(;\w<\3\.length;\)\{if\(\3\[\w\]==="\\\\"[^]{1,80}if\(\w==="&"\))/g,
    "$1if(/\\\\[ULEul]/.test($3))return repairs.cased($3,part=>$2(part,$4,$5));",
  ],
  [
    "sed replaces from a match on, as in s/x/y/2g",
    /&&!\w\.global(\)\{let (\w)=0,(\w)=\w\.nthOccurrence,[^]{1,120}?if\(\2\+\+,\2===\3)(?=\)\{let \w=\w\.slice\(0,-2\);return \w+\((\w)\.replacement)/g,
    "$1||$4.global&&$2>$3",
  ],
  [
    "sed's a\\, i\\ and c\\ take what stands behind the backslash as it is",
    /(?<=readTextCommand\(\w,\w,\w\)\{)let \w=!1;this\.peek\(\)[^]{1,500}?(?=let \w="";for)/g,
    'let skip=()=>{for(;this.peek()===" "||this.peek()==="\\t";)this.advance()};skip();' +
      'if(this.peek()==="\\\\"){this.advance();let at=this.pos;skip();' +
      'if(this.peek()==="\\n")this.advance();else for(this.pos=at;!1;);}',
  ],
  [
    "date fails for time zones and days that it does not know",
    /(?<=let (\w)=\w\.env\.get\("TZ"\);)(?=\1&&!\w+\(\1\)&&\(\1=void 0\);let \w=(\w)\?"UTC")/g,
    "let problem=repairs.dateProblem(r,$2?void 0:$1);" +
      'if(problem!==null)return{stdout:"",stderr:`date: ${problem}\\n`,exitCode:1};',
  ],
  [
    "grep takes several -e",
    /(?<=if\((\w+)==="-e"&&(\w+)\+1<\w\.length\)\{)(\w)=(\w\[\+\+\2\])(?=;continue\}if\(\1\.startsWith\("--file="\))/g,
    '$3=($3===null?"":$3+"\\n")+$4',
  ],
  [
    "awk rounds towards zero",
    /(?<=async function \w+\(\w,\w,\w\)\{return \w\.length===0\?0:Math\.)floor(?=\()/g,
    "trunc",
  ],
  [
    "awk makes an element by naming it",
    /return (\w\.arrays\[\w\]\?\.\[(\w)\])\?\?""(?=\}function (\w+)\((\w),(\w),\2,\w\)\{)/g,
    'let found=$1;if(found===void 0)$3($4,$5,$2,"");return found??""',
  ],
  [
    "awk -v sets the variables that awk itself reads",
    /(\w)\.FS=\w,\1\.vars=Object\.assign\(Object\.create\(null\),(\w)\)/g,
    '$&;for(let name of["OFS","ORS","SUBSEP","OFMT"])if(name in $2)$1[name]=$2[name];$1.vars=$1.vars',
  ],
  [
    "or FS, and awk fails for records that are no lines",
    /(\w)=(\w+)\(\w\.slice\(2\)\),(\w)=(\w+)\(\1\),\w=\w\+1;else if\(\w==="-v"[^]{1,120}?let (\w)=\w\.slice\(0,\w\),(\w)=\2\([^{}]{1,30}\);(?=\w\[\5\]=\6\})/g,
    '$&if($5==="FS")$1=$6,$3=$4($6);if($5==="RS"&&$6!=="\\n")' +
      'return{stdout:"",stderr:"awk: RS cannot be set here: a line is a record\\n",exitCode:2};',
  ],
  [
    "also where a program sets RS",
    /(function \w+\(\w,(\w),(\w)\)\{switch\(\2\)\{)(?=case"FS":\w+\(\w,\w+\(\3\)\);return;case"OFS")/g,
    '$1case"RS":if($3!=="\\n")throw new Error("RS cannot be set here: a line is a record");return;',
  ],
  [
    "diff has no line above its header",
    /\w+\.createTwoFilesPatch\([^)]+\)(?=,stderr:"",exitCode:1)/g,
    '$&.replace(/^=+\\n/,"")',
  ],
];

/** What the repairs call. */
const REPAIRS = fileURLToPath(import.meta.resolve("./guests/bash/repairs.ts"));

const REPAIRED_SHELL: Plugin = {
  name: "repaired-shell",
  setup: (bundle) =>
    bundle.onLoad({ filter: /just-bash[/\\]dist[/\\]bundle[/\\]browser\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [why, code, instead] of SHELL_REPAIRS) {
        if (contents.match(code)?.length !== 1) throw new Error(`just-bash has changed: see whether ${why}`);
        contents = contents.replace(code, instead);
      }
      return { contents: `import * as repairs from ${JSON.stringify(REPAIRS)};${contents}` };
    }),
};

/** jco's decoder drops a leading U+FEFF of a guest's string: a file's byte order mark would be lost on writing. */
function keepByteOrderMarks(bindings: Uint8Array): string {
  const source = Buffer.from(bindings).toString("utf8");
  const decoder = "TEXT_DECODER_UTF8 = new TextDecoder();";
  if (!source.includes(decoder)) throw new Error("jco's bindings have changed: look for how they decode strings");
  return source.replace(decoder, 'TEXT_DECODER_UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });');
}

function explain(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return stderr || (error instanceof Error ? error.message : String(error));
}

/** Builds what is not current; resolves with the names of the guests that were built. */
export async function buildGuests(): Promise<string[]> {
  await removeUnfinished(outDir);
  const built = await Promise.all(
    GUESTS.map(async (guest) => {
      const hash = sourceHash(guest);
      if (await isCurrent(guest, hash)) return [];
      await replaceFolder(join(outDir, guest.name), {
        fill: (folder) => buildInto(folder, guest, hash),
        isCurrent: () => isCurrent(guest, hash),
      });
      return [guest.name];
    }),
  );
  return built.flat();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const started = performance.now();
  try {
    const built = await buildGuests();
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    console.log(built.length === 0 ? "wasm guests: up to date" : `wasm guests: built ${built.join(", ")} in ${took}`);
  } catch (error) {
    console.error(`wasm guests: ${explain(error)}`);
    process.exitCode = 1;
  }
}
