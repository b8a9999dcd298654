import { Refusal } from "./wasm/workspace/refusal.ts";

/** At any depth: agents read these beside the files they work on. */
const INSTRUCTION_NAMES = new Set(["agents.md", "claude.md", "claude.local.md", ".agents", ".claude"]);

/**
 * Whether a file (by its path relative to the sandbox root) is one that agents take instructions from:
 * AGENTS.md, CLAUDE.md, anything in .agents/ or .claude/, and extensions/ of the root. Writing it
 * changes what agents do, which is a person's decision. Case is ignored, as some file systems do.
 */
export function isInstructionFile(path: string): boolean {
  const segments = path
    .toLowerCase()
    .split(/[/\\]/)
    .filter((segment) => segment !== "" && segment !== ".");
  return segments[0] === "extensions" || segments.some((segment) => INSTRUCTION_NAMES.has(segment));
}

export function instructionRefusal(path: string): Refusal {
  return new Refusal(`${path} instructs agents; changing it takes a person's decision, so tools do not write it.`);
}
