import { type CustomCommand, defineCommand } from "just-bash/browser";
import { singleQuoted } from "./expansion/quoting.ts";
import { joined, pipedBytes, textCommand } from "./text/command.ts";

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];
type Result = Awaited<ReturnType<Parameters<typeof defineCommand>[1]>>;

/** Runs a command with changed variables, or lists the variables. */
const ENV: CustomCommand = defineCommand("env", async (args, context) => {
  let variables = exported(context);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, name, value] = /^([^=]+)=([^]*)$/.exec(arg) ?? [];
    if (arg === "-i" || arg === "-" || arg === "--ignore-environment") variables = {};
    else if (arg === "-u" || arg === "--unset") delete variables[args[++at] ?? ""];
    else if (/^(?:-u|--unset=)./.test(arg)) delete variables[arg.replace(/^(?:-u|--unset=)/, "")];
    else if (arg.startsWith("-") && arg !== "--")
      return { stdout: "", stderr: `env: unrecognized option '${arg}'\n`, exitCode: 125 };
    else if (name !== undefined && value !== undefined) variables[name] = value;
    else return runWords(args.slice(arg === "--" ? at + 1 : at), variables, context);
  }
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  return { stdout: lines.join(""), stderr: "", exitCode: 0 };
});

const PRINTENV: CustomCommand = textCommand("printenv", { flags: "0", long: { null: "0" } }, async (call) => {
  const { flags, operands, context } = call;
  const variables = exported(context);
  const end = flags.has("0") ? "\0" : "\n";
  if (operands.length === 0)
    return Object.entries(variables)
      .map(([name, value]) => `${name}=${value}${end}`)
      .join("");
  const found = operands.flatMap((name) => variables[name] ?? []);
  return [joined(found, end), found.length < operands.length ? 1 : 0];
});

/** `env`, and commands that run another one as it is, such as another name of awk's. */
export const ENV_COMMANDS: readonly CustomCommand[] = [
  ENV,
  PRINTENV,
  ...Object.entries({ gawk: ["awk"], nohup: [] }).map(([name, before]) =>
    defineCommand(name, (args, context) => runWords([...before, ...args], exported(context), context)),
  ),
];

/** The exported variables. The environment also holds a script's arguments, which are not variables. */
function exported({ exportedEnv = {} }: Context): Record<string, string> {
  return Object.fromEntries(Object.entries(exportedEnv).filter(([name]) => /^[A-Za-z_]\w*$/.test(name)));
}

async function runWords(words: readonly string[], env: Record<string, string>, context: Context): Promise<Result> {
  const run = context.exec?.(words.map(singleQuoted).join(" "), {
    cwd: context.cwd,
    env,
    replaceEnv: true,
    stdin: pipedBytes(context),
    stdinKind: "bytes",
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  });
  return (await run) ?? { stdout: "", stderr: "env: nothing can be run here\n", exitCode: 126 };
}
