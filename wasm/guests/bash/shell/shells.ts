import { Bash, type CustomCommand, defineCommand, InMemoryFs } from "just-bash/browser";
import { textOfBytes } from "../../runtime/text-encoding.ts";
import { singleQuoted } from "../expansion/quoting.ts";
import { pipedBytes } from "../text/command.ts";

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];
type Result = Awaited<ReturnType<Parameters<typeof defineCommand>[1]>>;

/** `bash` and `sh`, with the options of a shell's command line. */
export const SHELL_COMMANDS: readonly CustomCommand[] = ["bash", "sh"].map((name) =>
  defineCommand(name, async (args, context) => {
    try {
      return await start(name, args, context);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { stdout: "", stderr: `${name}: ${reason}\n`, exitCode: 2 };
    }
  }),
);

/** Option letters that are passed on to `set`. */
const SETTINGS = /[aefuvxCEB]/;
const KNOWN = /^[aefuvxCEBbchiklmnprst]+$/;

interface Start {
  readonly reads: "command" | "input" | "file";
  readonly checksOnly: boolean;
  /** Commands that apply the options; prepended to the first line of the script. */
  readonly settings: string;
  readonly words: readonly string[];
}

function startOf(args: readonly string[]): Start {
  let settings = "";
  let letters = "";
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--" || arg === "-") {
      at++;
      break;
    }
    if (/^--(?:login|posix|noprofile|norc|noediting|restricted)$/.test(arg)) continue;
    const [, sign = "", flags = ""] = /^([-+])([^-].*)$/.exec(arg) ?? [];
    if (flags === "") {
      if (arg.startsWith("--")) throw new Error(`${arg}: invalid option`);
      break;
    }
    if (flags.endsWith("o") || flags === "O") {
      const name = args[++at] ?? "";
      settings += flags === "O" ? `shopt -${sign === "-" ? "s" : "u"} ${name}; ` : `set ${sign}o ${name}; `;
    }
    const rest = flags.replace(/[oO]$/, "");
    if (rest !== "" && !KNOWN.test(rest)) throw new Error(`${arg}: invalid option`);
    const set = Array.from(rest)
      .filter((letter) => SETTINGS.test(letter))
      .join("");
    if (set !== "") settings += `set ${sign}${set}; `;
    if (sign === "-") letters += rest;
  }
  const words = args.slice(at);
  const reads = letters.includes("c") ? "command" : letters.includes("s") || words.length === 0 ? "input" : "file";
  return { reads, checksOnly: letters.includes("n"), settings, words };
}

async function start(name: string, args: string[], context: Context): Promise<Result> {
  if (args[0] === "--version")
    return { stdout: `GNU bash, version ${context.env.get("BASH_VERSION") ?? "5"}\n`, stderr: "", exitCode: 0 };
  const run = context.origCommand;
  if (run === undefined) throw new Error("command not found");
  if (args[0] === "--help") return run(args);
  const { reads, checksOnly, settings, words } = startOf(args);
  if (reads === "file" && !checksOnly && settings === "") return run([...words]);
  const [first = "", ...others] = words;
  if (reads === "command" && words.length === 0) throw new Error("-c: option requires an argument");
  const script =
    reads === "command" ? first : reads === "input" ? textOfBytes(pipedBytes(context)) : await read(first, context);
  if (checksOnly) return checked(name, script);
  const own = settings + script.replace(/^#!.*/, "");
  if (reads === "input") return emptied(["-c", own, name, ...words], name, context);
  // The patched just-bash takes BASH_SOURCE from the property.
  return run(reads === "file" ? Object.assign(["-c", own, ...words], { file: first }) : ["-c", own, ...others]);
}

async function read(file: string, { fs, cwd }: Context): Promise<string> {
  return fs.readFile(fs.resolvePath(cwd, file));
}

/** Runs a shell with empty standard input, because the script was all of it. */
async function emptied(args: readonly string[], name: string, context: Context): Promise<Result> {
  const words = [name, ...args].map(singleQuoted).join(" ");
  const options = { cwd: context.cwd, env: context.exportedEnv ?? {}, replaceEnv: true, stdin: "" };
  const run = context.exec?.(words, {
    ...options,
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  });
  if (run === undefined) throw new Error("nothing can be run here");
  return run;
}

/** Parses a script without running it. */
function checked(name: string, script: string): Result {
  try {
    new Bash({ fs: new InMemoryFs(), defenseInDepth: false }).transform(script);
    return { stdout: "", stderr: "", exitCode: 0 };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { stdout: "", stderr: `${name}: ${reason}\n`, exitCode: 2 };
  }
}

/** Variables that a shell sets itself, if its environment lacks them. */
const OWN = new Set(
  "PATH PWD OLDPWD IFS OSTYPE MACHTYPE HOSTTYPE HOSTNAME OPTIND SHELLOPTS BASHOPTS ? # @ * 0".split(" "),
);

/**
 * Prepares the variables of a shell if the environment that its command is given is that of `bash` or `sh`: it counts the
 * shell in SHLVL, and drops what only the first shell's environment has.
 */
export function countShell(
  env: Map<string, string>,
  given: Readonly<Record<string, string>> | undefined,
): Map<string, string> {
  if (given !== undefined && "=source" in given) {
    for (const name of env.keys()) if (!(name in given) && !OWN.has(name)) env.delete(name);
    env.set("SHLVL", String(Number(env.get("SHLVL") ?? 0) + 1));
  }
  env.delete("=source");
  return env;
}

/** The names of the variables that a nested shell exports. */
export function exportedNames(
  outer: ReadonlySet<string> | undefined,
  { env = {}, replaceEnv = false }: { readonly env?: Readonly<Record<string, string>>; readonly replaceEnv?: boolean },
): Set<string> {
  const isShell = "=source" in env;
  const own = isShell ? ["PWD", "SHLVL"] : [];
  const inherited = replaceEnv || isShell ? own : (outer ?? []);
  return new Set([...inherited, ...Object.keys(env).filter((name) => /^[A-Za-z_]/.test(name))]);
}
