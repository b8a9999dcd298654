import { type CustomCommand, defineCommand } from "just-bash/browser";
import { pipedBytes } from "./text/command.ts";

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** Runs a command with changed variables, or lists the variables. */
export const ENV: CustomCommand = defineCommand("env", async (args, context) => {
  // The exported environment also holds a script's arguments, which are not variables.
  const known = Object.entries(context.exportedEnv ?? {}).filter(([name]) => /^[A-Za-z_]\w*$/.test(name));
  let variables: Record<string, string> = Object.fromEntries(known);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, name, value] = /^([^=]+)=([^]*)$/.exec(arg) ?? [];
    if (arg === "-i" || arg === "-" || arg === "--ignore-environment") variables = {};
    else if (arg === "-u" || arg === "--unset") delete variables[args[++at] ?? ""];
    else if (/^(?:-u|--unset=)./.test(arg)) delete variables[arg.replace(/^(?:-u|--unset=)/, "")];
    else if (arg.startsWith("-") && arg !== "--")
      return { stdout: "", stderr: `env: unrecognized option '${arg}'\n`, exitCode: 125 };
    else if (name !== undefined && value !== undefined) variables[name] = value;
    else {
      const words = args.slice(arg === "--" ? at + 1 : at);
      const options = { cwd: context.cwd, env: variables, replaceEnv: true, stdin: pipedBytes(context) };
      const run = context.exec?.(words.map(quoted).join(" "), {
        ...options,
        stdinKind: "bytes",
        ...(context.signal === undefined ? {} : { signal: context.signal }),
      });
      return (await run) ?? { stdout: "", stderr: "env: nothing can be run here\n", exitCode: 126 };
    }
  }
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  return { stdout: lines.join(""), stderr: "", exitCode: 0 };
});
