import { raw, sqltag as sql } from "@prisma/client/runtime/client";
import { z } from "zod";
import type { Client } from "../../../core/store/database/client.ts";
import { bytesFromHex } from "../meaning/vectors.ts";
import { kindSchema } from "../memory.ts";
import { instant, readMemory } from "../store.ts";
import {
  type Database,
  type Found,
  type FullText,
  type Lines,
  type Listed,
  MAX_COUNTED,
  written,
} from "./full-text.ts";

/** Maximum number of memories listed per word; a word in more of them tells little. */
const MAX_LISTED = 500;
/** Maximum number of memories found by the additional query, the newest. */
const MAX_MATCHING = 100;

export function fullText(db: Client, database: Database, mostListed = MAX_LISTED): FullText {
  return database === "sqlite" ? onSqlite(db, mostListed) : onPostgresql(db, mostListed);
}

const COLUMNS =
  "seq id text kind scope isPrivate origin authorId authorName channelId thread source position said createdAt usedAt uses " +
  "helped isPinned endedAt terms";
/**
 * Prepares the index after a bulk import: PostgreSQL learns at once which words are common, and SQLite merges its index
 * segments, so that a lookup reads one place instead of thirty.
 */
export async function optimizeIndex(db: Client, database: Database): Promise<void> {
  if (database === "postgresql") await db.$executeRaw`ANALYZE "Memory"`;
  else await db.$executeRaw`INSERT INTO "MemoryIndex" ("MemoryIndex") VALUES ('optimize')`;
}

/** Selects rows as one JSON text, since the client is slow per value. */
const ROWS = {
  sqlite: raw(
    `json_group_array(json_object(${COLUMNS.split(" ")
      .map((column) => `'${column}', "Memory"."${column}"`)
      .join(", ")})) AS "rows"`,
  ),
  postgresql: raw(`json_agg("Memory")::text AS "rows"`),
};

/** Selects vectors by the numbers of their memories. */
const VECTORS = {
  sqlite: raw(`SELECT json_group_array(json_array("seq", hex("bytes"))) FROM "MemoryVector" WHERE "seq"`),
  postgresql: raw(
    `SELECT json_agg(json_build_array("seq", encode("bytes", 'hex')))::text FROM "MemoryVector" WHERE "seq"`,
  ),
};

const seqsText = z
  .string()
  .nullable()
  .transform((json) => z.array(z.number()).parse(JSON.parse(json ?? "[]")));
const listRow = z
  .object({ at: z.coerce.number(), seqs: seqsText, count: z.coerce.number().nullable() })
  .transform(({ at, seqs, count }) => ({ at, seqs, count: Math.min(count ?? seqs.length, MAX_COUNTED) }));

function onSqlite(db: Client, mostListed: number): FullText {
  return {
    lists: async (queries) => {
      const texts = queries.map((query) => written(query, "sqlite"));
      const rows = await db.$queryRaw<unknown[]>`
        WITH "listed" AS MATERIALIZED (
          SELECT "query"."key" AS "at", "query"."value" AS "text", (
            SELECT json_group_array("rowid") FROM (
              SELECT "rowid" FROM "MemoryIndex" WHERE "MemoryIndex" MATCH "query"."value" ORDER BY "rowid" DESC LIMIT ${mostListed}
            )
          ) AS "seqs" FROM json_each(${JSON.stringify(texts)}) AS "query"
        )
        SELECT "at", "seqs", CASE WHEN json_array_length("seqs") = ${mostListed} THEN (
          SELECT COUNT(*) FROM (
            SELECT 1 FROM "MemoryIndex" WHERE "MemoryIndex" MATCH "listed"."text" LIMIT ${MAX_COUNTED}
          )
        ) END AS "count" FROM "listed"`;
      return listsIn(rows);
    },
    read: async ({ seqs, near, query }) =>
      foundIn(
        await db.$queryRaw<unknown[]>`
          SELECT ${ROWS.sqlite}, (
            ${VECTORS.sqlite} IN (SELECT "value" FROM json_each(${JSON.stringify(near)}))
          ) AS "vectors" FROM "Memory" WHERE "seq" IN (
            SELECT "value" FROM json_each(${JSON.stringify([...seqs, ...near])}) UNION SELECT "rowid" FROM (
              SELECT "rowid" FROM "MemoryIndex" WHERE "MemoryIndex" MATCH ${written(query, "sqlite")}
              ORDER BY "rowid" DESC LIMIT ${MAX_MATCHING}
            )
          )`,
      ),
    beside: async (lines) =>
      foundIn(
        await db.$queryRaw<unknown[]>`
          SELECT ${ROWS.sqlite} FROM json_each(${linesText(lines)}) AS "line" CROSS JOIN "Memory"
          ON "scope" = "line"."value" ->> 0 AND "source" = "line"."value" ->> 1
          AND "position" BETWEEN "line"."value" ->> 2 AND "line"."value" ->> 3`,
      ),
  };
}

/** How long PostgreSQL's statistics are cached, in milliseconds, since reading them takes as long as the search. */
const STATISTICS_HELD_MS = 300_000;
const STATISTICS = raw(`
  SELECT "words"."word", "words"."part" * "table"."reltuples"
  FROM pg_stats AS "stats", pg_class AS "table", unnest(
    "stats"."most_common_elems"::text::text[], "stats"."most_common_elem_freqs"
  ) AS "words"("word", "part")
  WHERE "stats"."schemaname" = current_schema() AND "stats"."tablename" = 'Memory_terms_idx'
  AND "table"."oid" = '"Memory"'::regclass AND "words"."word" IS NOT NULL`);

/**
 * PostgreSQL's index cannot start with the newest entries: it reads all matches of a word. So words that its statistics
 * list as common are not searched but only counted by the statistics. Before there are statistics, every word is
 * searched.
 */
function onPostgresql(db: Client, mostListed: number): FullText {
  let statistics = { counts: new Map<string, number>(), until: 0 };
  return {
    lists: async (queries) => {
      const now = performance.now();
      const isOld = now >= statistics.until;
      const words = [...new Set(queries.flat(2))].filter((word) => statistics.counts.has(word));
      const known = isOld
        ? STATISTICS
        : sql`SELECT * FROM unnest(${words}::text[], ${words.map((word) => statistics.counts.get(word))}::float[])`;
      const rows = await db.$queryRaw<unknown[]>`
        WITH "asked" AS MATERIALIZED (
          SELECT "number" - 1 AS "at", "text", "words"
          FROM unnest(
            ${queries.map((query) => written(query, "postgresql"))}::text[], ${queries.map((query) => query.flat().join(" "))}::text[]
          ) WITH ORDINALITY AS "query"("text", "words", "number")
        ), "known"("word", "count") AS MATERIALIZED (${known}), "common" AS MATERIALIZED (
          SELECT "at", SUM("count") AS "count" FROM "asked", unnest(string_to_array("words", ' ')) AS "each"("word")
          JOIN "known" USING ("word") GROUP BY "at" HAVING SUM("count") > ${mostListed}::float
        )
        SELECT "asked"."at", "count"::float, CASE WHEN "count" IS NULL THEN (
          SELECT json_agg("seq")::text FROM "Memory"
          WHERE array_to_tsvector(string_to_array("terms", ' ')) @@ "asked"."text"::tsquery
        ) END AS "seqs", CASE WHEN ${isOld} AND "at" = 0 THEN (
          SELECT json_object_agg("word", "count")::text FROM "known"
        ) END AS "statistics" FROM "asked" LEFT JOIN "common" USING ("at")`;
      if (isOld) statistics = { counts: countsIn(rows), until: now + STATISTICS_HELD_MS };
      return listsIn(rows);
    },
    read: async ({ seqs, near, query }) =>
      foundIn(
        await db.$queryRaw<unknown[]>`
          WITH "matching" AS MATERIALIZED (
            SELECT "seq" FROM "Memory"
            WHERE array_to_tsvector(string_to_array("terms", ' ')) @@ ${written(query, "postgresql")}::tsquery
          )
          SELECT ${ROWS.postgresql}, (${VECTORS.postgresql} = ANY (${[...near]}::int[])) AS "vectors"
          FROM "Memory" WHERE "seq" IN (
            SELECT unnest(${[...seqs, ...near]}::int[]) UNION
            (SELECT "seq" FROM "matching" ORDER BY "seq" DESC LIMIT ${MAX_MATCHING})
          )`,
      ),
    beside: async (lines) =>
      foundIn(
        await db.$queryRaw<unknown[]>`
          SELECT ${ROWS.postgresql} FROM jsonb_array_elements(${linesText(lines)}::jsonb) AS "line"("value") JOIN "Memory"
          ON "scope" = "line"."value" ->> 0 AND "source" = "line"."value" ->> 1
          AND "position" BETWEEN ("line"."value" ->> 2)::int AND ("line"."value" ->> 3)::int`,
      ),
  };
}

function linesText(lines: readonly Lines[]): string {
  return JSON.stringify(lines.map(({ scope, source, from, to }) => [scope, source, from, to]));
}

function listsIn(rows: readonly unknown[]): Listed[] {
  return rows.map((row) => listRow.parse(row)).toSorted((one, other) => one.at - other.at);
}

const statisticsRow = z.object({
  statistics: z
    .string()
    .nullable()
    .transform((json) => Object.entries(z.record(z.string(), z.number()).parse(JSON.parse(json ?? "{}")))),
});

/** Number of memories that contain each of the most common words. */
function countsIn(rows: readonly unknown[]): Map<string, number> {
  return new Map(rows.flatMap((row) => statisticsRow.parse(row).statistics));
}

const vectorsText = z
  .string()
  .nullish()
  .transform((json) => z.array(z.tuple([z.number(), z.string()])).parse(JSON.parse(json ?? "[]")));
const rowsText = z.object({ rows: z.string().nullable(), vectors: vectorsText });
const foundRow = z.object({
  seq: z.number(),
  text: z.string(),
  terms: z.string(),
  kind: kindSchema,
  scope: z.string(),
  source: z.string(),
  position: z.number().nullable(),
  said: z.string(),
  usedAt: instant,
  helped: z.number(),
  isPinned: z.coerce.boolean(),
  endedAt: instant.nullable(),
});

/** Parses rows; unreadable ones are skipped. */
function foundIn(rows: readonly unknown[]): Found[] {
  const parsed = rows.map((row) => rowsText.parse(row));
  const vectors = new Map(parsed.flatMap((row) => row.vectors).map(([seq, hex]) => [seq, bytesFromHex(hex)]));
  return parsed
    .flatMap((row) => z.array(z.unknown()).parse(JSON.parse(row.rows ?? "[]")))
    .flatMap((row) => {
      const read = foundRow.safeParse(row);
      if (!read.success) return [];
      const { endedAt, usedAt, ...found } = read.data;
      const vector = vectors.get(found.seq) ?? null;
      return [{ ...found, usedAt: usedAt.getTime(), isOver: endedAt !== null, vector, memory: () => readMemory(row) }];
    });
}
