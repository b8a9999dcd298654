import type { Kind, Memory } from "../memory.ts";

/** The databases that there are. */
export type Database = "sqlite" | "postgresql";

/** Words of the index that a memory must have together; any of several such lists. */
export type TextQuery = readonly (readonly string[])[];

/** How far memories are counted: a word that stands in more tells nothing. */
export const MOST_COUNTED = 5_000;

/** What a query finds. */
export interface Listed {
  /** Numbers of memories; not all where there are many, and then the newest if any. */
  readonly seqs: readonly number[];
  /** About how many there are, as far as they are counted. */
  readonly count: number;
}

/** What ranking needs of a memory. */
export interface Found {
  readonly seq: number;
  readonly text: string;
  /** The words of the index that it has. */
  readonly terms: string;
  readonly kind: Kind;
  readonly scope: string;
  readonly source: string;
  readonly position: number | null;
  /** When it was said, as it was given. */
  readonly said: string;
  readonly usedAt: number;
  readonly helped: number;
  readonly isPinned: boolean;
  /** Something else took its place. */
  readonly isOver: boolean;
  /** What it means, a byte each dimension; null where that was not asked for or nothing is known. */
  readonly vector: Int8Array | null;
  /** Null where the row is broken. */
  readonly memory: () => Memory | null;
}

/** Lines of a file or thread. */
export interface Lines {
  readonly scope: string;
  readonly source: string;
  readonly from: number;
  readonly to: number;
}

export interface Wanted {
  readonly seqs: readonly number[];
  readonly near: readonly number[];
  readonly query: TextQuery;
}

/** The full-text search of a database. Each method is one statement. */
export interface FullText {
  /** One list for each query, in their order; the first query is for all that may be read. */
  lists(queries: readonly TextQuery[]): Promise<Listed[]>;
  /** Memories by their numbers, those of `near` with their vectors, and what a query finds, the newest. */
  read(wanted: Wanted): Promise<Found[]>;
  beside(lines: readonly Lines[]): Promise<Found[]>;
}

const SIGNS = { sqlite: { quote: '"', and: " AND ", or: " OR " }, postgresql: { quote: "'", and: " & ", or: " | " } };

/**
 * A query in the words of a database's full-text search. Words hold letters and digits only: no database finds an
 * operator in them. Source: SQLite docs, FTS5; PostgreSQL docs, tsquery. What looks for nothing is a word that no memory has.
 */
export function written(query: TextQuery, database: Database): string {
  const { quote, and, or } = SIGNS[database];
  return (query.length === 0 ? [["none"]] : query)
    .map((words) => `(${words.map((word) => `${quote}${word}${quote}`).join(and)})`)
    .join(or);
}
