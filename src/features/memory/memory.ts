import { z } from "zod";
import type { ThreadRef } from "../../core/protocol/platform.ts";

/** What a memory is: a passing note, something that happened, something that holds, how something is done. */
export const KINDS = ["working", "episodic", "semantic", "procedural"] as const;
export type Kind = (typeof KINDS)[number];
export const kindSchema = z.enum(KINDS);

const HOUR_MS = 3_600_000;
/** After so long without a use it counts half. Milliseconds. */
export const HALF_LIFE_MS: Readonly<Record<Kind, number>> = {
  working: HOUR_MS,
  episodic: 24 * HOUR_MS,
  semantic: 7 * 24 * HOUR_MS,
  procedural: 30 * 24 * HOUR_MS,
};

/** Characters of one memory; more belongs in a file. */
export const MOST_CHARS = 4_000;

/** Whose words a memory holds. What came from outside is told only to whoever asks for it, and as what it is. */
export const originSchema = z.enum(["people", "outside"]);
export type Origin = z.infer<typeof originSchema>;
export const ORIGINS: readonly Origin[] = originSchema.options;

/** What is told once. */
export interface NewMemory {
  readonly id: string;
  readonly text: string;
  readonly kind: Kind;
  /** `person:slack:U1`, `channel:slack:C1` or `workspace:slack:T1`: whom it is for. */
  readonly scope: string;
  /** Told where not everybody of the workspace may read. */
  readonly isPrivate: boolean;
  readonly origin: Origin;
  readonly author: { readonly id: string; readonly name: string };
  /** Where it was told: `slack:C1`. */
  readonly channelKey: string;
  /** `slack:T1`: where it may be read, in an open channel. */
  readonly workspace: string;
  readonly thread: ThreadRef | null;
  /** The file or the thread whose lines stand in an order, and its place there. */
  readonly source: string;
  readonly position: number | null;
  /** When it was said, as it was given. */
  readonly said: string;
  /** The run that it was told in; null for what no run was. */
  readonly runId?: string | null;
}

export interface Memory extends Omit<NewMemory, "workspace" | "runId"> {
  /** What people call it by. */
  readonly seq: number;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly uses: number;
  /** Above 0: its uses helped; below: they did not. */
  readonly helped: number;
  readonly isPinned: boolean;
  /** When something else took its place; null while it holds. Milliseconds since the epoch. */
  readonly endedAt: number | null;
}

/** As a line of a file, which can be imported. */
export function exportedLine({ id, text, kind, scope, author, said, source }: Memory) {
  return { id, text, kind, scope, author: author.name, at: said, source };
}
