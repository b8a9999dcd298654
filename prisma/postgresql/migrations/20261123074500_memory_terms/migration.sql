-- Lines of one scope and source are neighbours.
DROP INDEX "Memory_scope_idx";
DROP INDEX "Memory_source_position_idx";
CREATE INDEX "Memory_scope_source_position_idx" ON "Memory"("scope", "source", "position");

-- The index is computed, not kept: nothing reads the words as PostgreSQL has them.
DROP INDEX "Memory_index_idx";
ALTER TABLE "Memory" DROP COLUMN "index";

-- The words that memories are found by are written anew: a row without any is indexed by the program.
UPDATE "Memory" SET "terms" = '';

CREATE INDEX "Memory_terms_idx" ON "Memory" USING GIN (array_to_tsvector(string_to_array("terms", ' '))) WITH (fastupdate = off);
