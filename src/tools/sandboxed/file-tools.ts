import type { Tool } from "../../core/tool.ts";
import { type CapabilityLimits, FILE_LIMITS, PROGRAM_LIMITS, SHELL_LIMITS } from "../wasm/capability.ts";
import type { Sandbox } from "../wasm/sandbox.ts";
import { createBash } from "./bash.ts";
import { createEdit } from "./edit.ts";
import { createGlob } from "./glob.ts";
import { createGrep } from "./grep.ts";
import type { Guest } from "./guest-call.ts";
import { createJsExec } from "./js-exec.ts";
import { createRead } from "./read.ts";
import { createWrite } from "./write.ts";

export interface FileToolLimits {
  readonly files?: Partial<CapabilityLimits>;
  readonly programs?: Partial<CapabilityLimits>;
  readonly shell?: Partial<CapabilityLimits>;
}

/** Creates the sandboxed tools: those for the files of the session's sandbox root, and those that run programs. */
export function createFileTools(sandbox: Sandbox, limits: FileToolLimits = {}): readonly Tool[] {
  const files: Guest = { sandbox, name: "files", limits: { ...FILE_LIMITS, ...limits.files } };
  const programs: Guest = { sandbox, name: "js", limits: { ...PROGRAM_LIMITS, ...limits.programs } };
  const shell: Guest = { sandbox, name: "bash", limits: { ...SHELL_LIMITS, ...limits.shell } };
  return [
    createRead(files),
    createWrite(files),
    createEdit(files),
    createGlob(files),
    createGrep(files),
    createBash(shell, files),
    createJsExec(programs, files),
  ];
}
