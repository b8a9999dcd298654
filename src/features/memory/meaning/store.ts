import { raw } from "@prisma/client/runtime/client";
import { z } from "zod";
import type { Client } from "../../../core/store/database/client.ts";
import { originSchema } from "../memory.ts";
import type { Database } from "../search/full-text.ts";
import { JSON_ROWS } from "../store.ts";
import { fromHex, hexOf, type QuantizedVector } from "./vectors.ts";

/** The vector of a text, stored only if the memory still has this text. */
interface Row {
  readonly seq: number;
  readonly text: string;
  /** Null if the model refuses the text. */
  readonly vector: QuantizedVector | null;
}

const DIALECT = {
  sqlite: {
    rows: raw("json_group_array(json("),
    end: raw("))"),
    object: raw("json_object"),
    toHex: raw("hex"),
    hexArgument: raw(""),
    fromHex: raw("unhex"),
  },
  postgresql: {
    rows: raw("json_agg(("),
    end: raw(")::json)::text"),
    object: raw("json_build_object"),
    toHex: raw("encode"),
    hexArgument: raw(", 'hex'"),
    fromHex: raw("decode"),
  },
};

const pageRow = z
  .object({
    seq: z.number(),
    text: z.string(),
    authorName: z.string(),
    scope: z.string(),
    isPrivate: z.coerce.boolean(),
    origin: originSchema,
    channelKey: z.string(),
    /** ThreadRef as JSON; null if it was told in no thread. */
    thread: z.string().nullable(),
    /** The vector's model and size; the model alone if it refuses the text; null if no vector was made. */
    model: z.string().nullable(),
    signs: z.string().nullable(),
  })
  .transform(({ signs, ...row }) => ({ ...row, signs: fromHex(signs ?? "") }));
export type VectorRow = Readonly<z.infer<typeof pageRow>>;

const page = z.array(z.object({ rows: z.string().nullable() }));

export function vectorReads(db: Client, database: Database) {
  const { rows, end, object, toHex, hexArgument } = DIALECT[database];
  return {
    /** Memories after a number, in order. */
    async after(seq: number, limit: number): Promise<VectorRow[]> {
      const found = page.parse(
        await db.$queryRaw`
          SELECT ${rows}"row"${end} AS "rows" FROM (
            SELECT ${object}(
              'seq', "Memory"."seq", 'text', "Memory"."text", 'authorName', "Memory"."authorName", 'scope', "Memory"."scope",
              'isPrivate', "Memory"."isPrivate", 'origin', "Memory"."origin", 'channelKey', "Memory"."channelId",
              'thread', "Memory"."thread", 'model', "MemoryVector"."model",
              'signs', ${toHex}("MemoryVector"."signs"${hexArgument})
            ) AS "row" FROM "Memory" LEFT JOIN "MemoryVector" ON "MemoryVector"."seq" = "Memory"."seq"
            WHERE "Memory"."seq" > ${seq} ORDER BY "Memory"."seq" LIMIT ${limit}
          ) AS "page"`,
      );
      const all = found.flatMap(({ rows: text }) => z.array(z.unknown()).parse(JSON.parse(text ?? "[]")));
      return all.flatMap((row) => pageRow.safeParse(row).data ?? []);
    },

    /** The size of the model's newest vector; null if it has made none. */
    async newestSize(ref: string): Promise<number | null> {
      const prefix = `${ref} `;
      // An older version marked texts that the model refuses by the name and a space, without a size.
      const where = { model: { startsWith: prefix, not: prefix } };
      const newest = await db.memoryVector.findFirst({ where, orderBy: { createdAt: "desc" } });
      return newest === null ? null : Number(newest.model.slice(prefix.length));
    },

    /** Number of texts sent on the day that began then. */
    async sentOn(day: number): Promise<number> {
      return (await db.memorySent.findUnique({ where: { day: new Date(day) } }))?.texts ?? 0;
    },

    /** Number of memories with no entry of any of these models. */
    async without(models: readonly string[]): Promise<number> {
      return db.memory.count({ where: { OR: [{ vector: null }, { vector: { model: { notIn: [...models] } } }] } });
    },
  };
}

export function vectorWrites(db: Client, database: Database) {
  const { fromHex: bytes, hexArgument } = DIALECT[database];
  const { of: each, type: json } = JSON_ROWS[database];
  return {
    /** Counts texts as sent on the day that began then, and deletes the counts of earlier days. */
    async sent(day: number, texts: number): Promise<void> {
      const today = new Date(day);
      await db.memorySent.deleteMany({ where: { day: { lt: today } } });
      await db.memorySent.upsert({
        where: { day: today },
        create: { day: today, texts },
        update: { texts: { increment: texts } },
      });
    },

    /** Stores vectors, except for memories that were deleted or edited meanwhile. */
    async save(all: readonly Row[], { model, at }: { readonly model: string; readonly at: number }): Promise<void> {
      const values = all.map(({ seq, text, vector }) => {
        const { signs, bytes: most } = vector ?? { signs: new Uint8Array(), bytes: new Int8Array() };
        return { seq, text, signs: hexOf(signs), bytes: hexOf(most) };
      });
      await db.$executeRaw`
        INSERT INTO "MemoryVector" ("seq", "model", "signs", "bytes", "createdAt")
        SELECT "Memory"."seq", ${model}, ${bytes}("row"."value" ->> 'signs'${hexArgument}),
          ${bytes}("row"."value" ->> 'bytes'${hexArgument}), ${new Date(at)}
        FROM ${each}(CAST(${JSON.stringify(values)} AS ${json})) AS "row" JOIN "Memory"
        ON "Memory"."seq" = CAST("row"."value" ->> 'seq' AS INTEGER) AND "Memory"."text" = "row"."value" ->> 'text'
        WHERE TRUE
        ON CONFLICT ("seq") DO UPDATE SET "model" = EXCLUDED."model", "signs" = EXCLUDED."signs",
          "bytes" = EXCLUDED."bytes", "createdAt" = EXCLUDED."createdAt"`;
    },
  };
}
