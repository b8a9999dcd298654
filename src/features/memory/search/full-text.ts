import type { Kind, Memory } from "../memory.ts";

/** The supported databases. */
export type Database = "sqlite" | "postgresql";

/** Lists of index words: a memory matches if it has all words of any list. */
export type TextQuery = readonly (readonly string[])[];

/** Maximum count of matching memories; a word in more of them tells nothing. */
export const MAX_COUNTED = 5_000;

/** The result of a query. */
export interface Listed {
  /** Numbers of memories. If there are many, only the newest, or none. */
  readonly seqs: readonly number[];
  /** Approximate number of matches, counted up to MAX_COUNTED. */
  readonly count: number;
}

/** What ranking needs of a memory. */
export interface Found {
  readonly seq: number;
  readonly text: string;
  /** The index words of the memory. */
  readonly terms: string;
  readonly kind: Kind;
  readonly scope: string;
  readonly source: string;
  readonly position: number | null;
  /** When it was said, as given. */
  readonly said: string;
  readonly usedAt: number;
  readonly helped: number;
  readonly isPinned: boolean;
  /** Another memory has replaced it. */
  readonly isOver: boolean;
  /** Its vector, one byte per dimension; null if not asked for or not made. */
  readonly vector: Int8Array | null;
  /** Null if the row is broken. */
  readonly memory: () => Memory | null;
}

/** A range of lines in a file or thread. */
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
  /** One list per query, in order; the first query matches everything that may be read. */
  lists(queries: readonly TextQuery[]): Promise<Listed[]>;
  /** Memories by number, those of `near` with their vectors, and the newest matches of a query. */
  read(wanted: Wanted): Promise<Found[]>;
  beside(lines: readonly Lines[]): Promise<Found[]>;
}

const SIGNS = { sqlite: { quote: '"', and: " AND ", or: " OR " }, postgresql: { quote: "'", and: " & ", or: " | " } };

/**
 * A query in the syntax of the database's full-text search. Index words consist of letters and digits, so they cannot
 * contain operators. An empty query becomes a word that no memory has. Source: SQLite docs, FTS5; PostgreSQL docs,
 * tsquery.
 */
export function written(query: TextQuery, database: Database): string {
  const { quote, and, or } = SIGNS[database];
  return (query.length === 0 ? [["none"]] : query)
    .map((words) => `(${words.map((word) => `${quote}${word}${quote}`).join(and)})`)
    .join(or);
}
