import { defineCommand } from "just-bash/browser";
import { withByteEscapes } from "../locale.ts";
import { endsScript } from "../shell/output.ts";
import { Refusal } from "../text/command.ts";
import { Awk } from "./builtins.ts";
import { translate } from "./language/emit.ts";
import { parse } from "./language/parser.ts";
import { unescaped } from "./language/tokens.ts";
import type { Context, Translated } from "./run.ts";

const USAGE = 2;
const LONG: Readonly<Record<string, string>> = {
  "field-separator": "F",
  assign: "v",
  file: "f",
  source: "e",
};
/** Options that change nothing here. */
const IGNORED = /^(?:--(?:posix|re-interval|gnu|sandbox|optimize)|-[PrnNOS])$/;
const BYTES = /^(?:--characters-as-bytes|-b)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=([^]*)$/;

interface Arguments {
  readonly program: string;
  readonly separator: string | null;
  readonly assignments: readonly (readonly [name: string, text: string])[];
  readonly operands: readonly string[];
  /** Whether the options say that each byte is a character. */
  readonly hasByteCharacters: boolean;
}

export const AWK = defineCommand("awk", async (args, context) => {
  if (/^(?:--version|-V)$/.test(args[0] ?? "")) return { stdout: "GNU Awk 5.2.1\n", stderr: "", exitCode: 0 };
  let awk: Awk | null = null;
  try {
    const given = await argumentsOf(args, context);
    const running = new Awk(given.hasByteCharacters ? inBytes(context) : context, given.operands);
    awk = running;
    return running.streams.result(await run(running, given));
  } catch (error) {
    if (awk !== null && endsScript(error)) {
      const { stdout, stderr } = awk.streams.result(0);
      error.prependOutput(stdout, stderr);
      throw error;
    }
    // Without memory, nothing can follow; the depth of calls is an error of the program.
    if (error instanceof Error && error.message === "out of memory") throw error;
    const message = error instanceof Error ? error.message : String(error);
    const exitCode = error instanceof Refusal ? error.exitCode : USAGE;
    if (awk === null) return { stdout: "", stderr: `awk: ${message}\n`, exitCode };
    await awk.streams.flush().catch(() => {});
    awk.streams.complain(message);
    return awk.streams.result(exitCode);
  }
});

async function run(awk: Awk, { program, separator, assignments, operands }: Arguments): Promise<number> {
  const assigned = [...assignments.map(([name]) => name), ...operands.map((one) => ASSIGNMENT.exec(one)?.[1] ?? "")];
  const code = translate(
    parse(awk.inLocale(withByteEscapes(program, "awk"))),
    [...new Set(assigned)].filter((name) => name !== ""),
  );
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- a program runs many times faster as JavaScript, which may do no more here than the shell
  const translated: Translated = new Function("awk", "library", code)(awk, awk.library());
  if (separator !== null) awk.fields.FS = unescaped(awk.inLocale(withByteEscapes(separator, "awk")));
  for (const [name, text] of assignments) awk.assign(translated, name, text);
  return awk.all(translated);
}

async function argumentsOf(args: readonly string[], { fs, cwd }: Context): Promise<Arguments> {
  const programs: string[] = [];
  const assignments: [string, string][] = [];
  let separator: string | null = null;
  let hasByteCharacters = false;
  let at = 0;
  for (; /^-./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    hasByteCharacters ||= BYTES.test(arg);
    if (BYTES.test(arg)) continue;
    if (arg === "--" || IGNORED.test(arg)) {
      if (arg !== "--") continue;
      at += 1;
      break;
    }
    const [, long, joined] = /^--([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
    const letter = long === undefined ? arg.charAt(1) : LONG[long];
    if (letter === undefined || !/[Fvfe]/.test(letter)) throw new Refusal(`unknown option ${arg}`, USAGE);
    const value = long === undefined ? arg.slice(2) || args[++at] : (joined ?? args[++at]);
    if (value === undefined) throw new Refusal(`option requires an argument -- '${letter}'`, USAGE);
    if (letter === "e") programs.push(value);
    else if (letter === "f") programs.push(await fs.readFile(fs.resolvePath(cwd, value)));
    else if (letter === "F") separator = value;
    else {
      const [, name, text = ""] = ASSIGNMENT.exec(value) ?? [];
      if (name === undefined) throw new Refusal(`\`${value}' argument to \`-v' not in \`var=value' form`, USAGE);
      assignments.push([name, text]);
    }
  }
  const [first, ...operands] = args.slice(at);
  const others = { separator, assignments, hasByteCharacters };
  if (programs.length > 0) return { program: programs.join("\n"), operands: args.slice(at), ...others };
  if (first === undefined) throw new Refusal("usage: awk [-F fs] [-v var=value] 'prog' | -f progfile [file ...]", 1);
  return { program: first, operands, ...others };
}

/** The context of a command whose characters are bytes. */
function inBytes(context: Context): Context {
  return { ...context, exportedEnv: { ...context.exportedEnv, LC_ALL: "C" } };
}
