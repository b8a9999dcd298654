import type { IndexWord } from "./words.ts";

/** Memories that have one of `any`, beside one of `readers`; with `both`, all words of a list of them. */
export interface TextQuery {
  readonly readers: readonly IndexWord[];
  /** Each a list of words that stand together; null for all that the readers may read. */
  readonly any: readonly (readonly IndexWord[])[] | null;
}

/** The databases that there are. */
export type Database = "sqlite" | "postgresql";

/** Words hold letters and digits only: no database finds an operator in them. */
const QUOTE: Readonly<Record<Database, (word: IndexWord) => string>> = {
  sqlite: (word) => `"${word}"`,
  postgresql: (word) => `'${word}'`,
};
const SIGNS = { sqlite: { and: " AND ", or: " OR " }, postgresql: { and: " & ", or: " | " } } as const;

/** A query in the words of a database's full-text search. Source: SQLite docs, FTS5; PostgreSQL docs, tsquery. */
export function written({ readers, any }: TextQuery, database: Database): string {
  const { and, or } = SIGNS[database];
  const quote = QUOTE[database];
  const either = `(${readers.map(quote).join(or)})`;
  if (any === null) return either;
  return `${either}${and}(${any.map((words) => `(${words.map(quote).join(and)})`).join(or)})`;
}
