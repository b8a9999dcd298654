-- Lines of one scope and source are neighbours.
DROP INDEX "Memory_scope_idx";
DROP INDEX "Memory_source_position_idx";
CREATE INDEX "Memory_scope_source_position_idx" ON "Memory"("scope", "source", "position");

-- The words that memories are found by are written anew: a row without any is indexed by the program.
UPDATE "Memory" SET "terms" = '';
