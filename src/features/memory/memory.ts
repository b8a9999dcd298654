import { z } from "zod";
import type { ThreadRef } from "../../core/platform/thread.ts";

/** Kinds of memory: a passing note, an event, a lasting fact, how something is done. */
export const KINDS = ["working", "episodic", "semantic", "procedural"] as const;
export type Kind = (typeof KINDS)[number];
export const kindSchema = z.enum(KINDS);

const HOUR_MS = 3_600_000;
/** Time without use after which a memory counts half, in milliseconds. */
export const HALF_LIFE_MS: Readonly<Record<Kind, number>> = {
  working: HOUR_MS,
  episodic: 24 * HOUR_MS,
  semantic: 7 * 24 * HOUR_MS,
  procedural: 30 * 24 * HOUR_MS,
};

/** Maximum length of one memory, in characters; more belongs in a file. */
export const MAX_CHARS = 4_000;

/** Whose words a memory holds. Outside content is only returned when searched for, and marked as such. */
export const originSchema = z.enum(["people", "outside"]);
export type Origin = z.infer<typeof originSchema>;
export const ORIGINS: readonly Origin[] = originSchema.options;

/** A memory before it is stored. */
export interface NewMemory {
  readonly id: string;
  readonly text: string;
  readonly kind: Kind;
  /** Whom it is for: `person:slack:U1`, `channel:slack:C1` or `workspace:slack:T1`. */
  readonly scope: string;
  /** Told where not everyone in the workspace may read. */
  readonly isPrivate: boolean;
  readonly origin: Origin;
  readonly author: { readonly id: string; readonly name: string };
  /** Where it was told: `slack:C1`. */
  readonly channelKey: string;
  /** The workspace where it may be read if it was told in an open channel: `slack:T1`. */
  readonly workspace: string;
  readonly thread: ThreadRef | null;
  /** The file or thread that it is a line of, and its position there. */
  readonly source: string;
  readonly position: number | null;
  /** When it was said, as given. */
  readonly said: string;
  /** The run that it was told in; null if none. */
  readonly runId?: string | null;
}

export interface Memory extends Omit<NewMemory, "workspace" | "runId"> {
  /** The number by which people refer to it. */
  readonly seq: number;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly uses: number;
  /** Positive if its uses helped, negative if they did not. */
  readonly helped: number;
  readonly isPinned: boolean;
  /** When another memory replaced it, in milliseconds since the epoch; null while it holds. */
  readonly endedAt: number | null;
}

/** A memory as a line of a file that can be imported. */
export function exportedLine({ id, text, kind, scope, author, said, source }: Memory) {
  return { id, text, kind, scope, author: author.name, at: said, source };
}
