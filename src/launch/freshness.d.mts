import type { Step } from "./steps.mjs";

/** Hashes of what a step is made of: the contents of its inputs, and the packages that are installed. */
export interface Print {
  readonly sources: string;
  readonly packages: string;
}

/** By the name of the step. */
export type Prints = Readonly<Record<string, Print>>;

export function staleSteps(root: string, steps?: readonly Step[]): readonly Step[];
export function builtHashes(root: string): Prints;
export function storeHashes(root: string, made: Prints): void;
export function inputHashes(root: string, steps?: readonly Step[]): Prints;
export function isInstalled(root: string, name: string): boolean;
