import { comparableName } from "../wasm/workspace/path-rules.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";

/** At any depth: agents read these beside the files they work on. */
const INSTRUCTION_NAMES = new Set(["agents.md", "claude.md", "claude.local.md", ".agents", ".claude"]);

/** NTFS's short names of those that are longer than eight letters and three. */
const SHORT_NAMES = /^(agents|claude)~\d+(\.md)?$/;

/** At the sandbox root only. */
const ROOT_NAMES = /^(extensions|extens~\d+)$/;

/**
 * Whether a file (by its path relative to the sandbox root) is one that agents take instructions from:
 * AGENTS.md, CLAUDE.md, anything in .agents/ or .claude/, and extensions/ of the root. Writing it
 * changes what agents do, which is a person's decision. Names count in every form that some file system
 * takes for them.
 */
export function isInstructionFile(path: string): boolean {
  const segments = path.split(/[/\\]/).filter((segment) => segment !== "" && segment !== ".");
  const names = segments.map(comparableName);
  return ROOT_NAMES.test(names[0] ?? "") || names.some((name) => INSTRUCTION_NAMES.has(name) || SHORT_NAMES.test(name));
}

export function instructionRefusal(path: string): Refusal {
  return new Refusal(`${path} instructs agents; changing it takes a person's decision, so tools do not write it.`);
}
