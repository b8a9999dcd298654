/** The flag of V8 that a process begins itself anew with. */
export const HEAP: readonly string[];

/** What of a process decides. */
export interface ProcessFacts {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hasChannel: boolean;
}

export function trimmedEnvironment(facts: ProcessFacts): Readonly<Record<string, string | undefined>> | null;

export function trimMemory(program: NodeJS.Process): void;
