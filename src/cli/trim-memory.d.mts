/** The flags of V8 that a process begins itself anew with. */
export const HEAP: readonly string[];

/** What of a process decides. */
export interface ProcessFacts {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly send?: NodeJS.Process["send"];
}

export interface Beginning {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function restartOptions(args: readonly string[], program: ProcessFacts): Beginning | null;

export function trimMemory(program: NodeJS.Process): void;
