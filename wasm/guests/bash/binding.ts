import { utf8Bytes } from "../runtime/text-encoding.ts";
import type { Filesystem } from "../workspace-files.ts";
import { executedFiles } from "./executed-files.ts";
import type { BashBinding, BashRequest } from "./request.ts";

/** Variables that affect a shell even if no script names them. */
const ALWAYS = /^(?:BASH_ENV|ENV|CDPATH|GLOBIGNORE|PS4|BASH_ALIAS_\w*)$/;

/** Returns what a command's effect depends on besides its text: directory, variables and executed files. */
export function bindingOf(
  { command, cwd, env }: Pick<BashRequest, "command" | "cwd" | "env">,
  files: Filesystem,
): BashBinding {
  const executed = executedFiles(command, cwd, files);
  const named = new Set(executed.texts.join("\n").match(/[A-Za-z_]\w*/g));
  const isOpen = executed.isOpen || Object.keys(env).some((name) => ALWAYS.test(name));
  const isIndirect = isOpen || executed.texts.some((text) => text.includes("${!"));
  const variables = Object.entries(env)
    .filter(([name]) => isIndirect || named.has(name))
    .sort(byName);
  const hashes = [...executed.files].map(([path, content]): [string, string | null] => [
    path,
    content === null ? null : files.digest("SHA-256", content),
  ]);
  const known = { cwd, env: Object.fromEntries(variables), files: Object.fromEntries(hashes.sort(byName)) };
  return {
    ...known,
    digest: files.digest("SHA-256", utf8Bytes(JSON.stringify(known))),
    isOpen,
  };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
