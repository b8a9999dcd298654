import type { Script } from "node:vm";

interface Start {
  runCommandLine(): Promise<void>;
}

export const START: string;
export function codeFile(root: string): string;
export function loadCompiledStart(root: string): Start | null;
export function loadScript(root: string, cachedData?: Buffer): Script;
export function exportsOf(root: string, script: Script): Start;
