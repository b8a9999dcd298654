import type { ExecResult } from "just-bash/browser";
import { decodeInput } from "./decode-input.ts";

interface Shell {
  readonly ctx: { readonly state: { traps?: Map<string, string> } };
  runCommand(name: string, args: string[], quoted: boolean[], stdin: string): Promise<unknown>;
}

interface CommandNode {
  readonly type: string;
  readonly name?: { readonly parts: readonly { readonly value?: string }[] } | null;
  readonly args?: readonly unknown[];
}

/** Whether a command is an `exec` that only redirects, whose redirections last as long as the shell. */
export function isLasting({ type, name, args = [] }: CommandNode): boolean {
  return type === "SimpleCommand" && args.length === 0 && name?.parts[0]?.value === "exec";
}

/** Ends the shell with the result of the command that replaced it, without running traps. */
export async function exec(shell: Shell, { stdout, stdoutKind, stderr, exitCode }: ExecResult): Promise<void> {
  shell.ctx.state.traps?.clear();
  try {
    await shell.runCommand("exit", [String(exitCode)], [false], "");
  } catch (end) {
    if (end instanceof Error && "prependOutput" in end && typeof end.prependOutput === "function")
      end.prependOutput(stdoutKind === "bytes" ? decodeInput(stdout) : stdout, stderr);
    throw end;
  }
}
