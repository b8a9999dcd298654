-- CreateTable
CREATE TABLE "Memory" (
    "seq" SERIAL NOT NULL,
    "id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "isPrivate" BOOLEAN NOT NULL,
    "origin" TEXT NOT NULL,
    "authorId" TEXT NOT NULL,
    "authorName" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "thread" TEXT,
    "source" TEXT NOT NULL,
    "position" INTEGER,
    "said" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "usedAt" TIMESTAMP(3) NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "helped" INTEGER NOT NULL DEFAULT 0,
    "isPinned" BOOLEAN NOT NULL DEFAULT false,
    "endedAt" TIMESTAMP(3),
    "endedBy" TEXT,
    "terms" TEXT NOT NULL,

    CONSTRAINT "Memory_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "MemoryPause" (
    "channelId" TEXT NOT NULL,
    "byId" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "MemoryPause_pkey" PRIMARY KEY ("channelId")
);

-- CreateIndex
CREATE UNIQUE INDEX "Memory_id_key" ON "Memory"("id");

-- CreateIndex
CREATE INDEX "Memory_scope_idx" ON "Memory"("scope");

-- CreateIndex
CREATE INDEX "Memory_authorId_idx" ON "Memory"("authorId");

-- CreateIndex
CREATE INDEX "Memory_source_position_idx" ON "Memory"("source", "position");

-- The full-text index. Its words come from the program, which stems them: PostgreSQL has but to split at spaces.
ALTER TABLE "Memory" ADD COLUMN "index" tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array("terms", ' '))) STORED;

CREATE INDEX "Memory_index_idx" ON "Memory" USING GIN ("index") WITH (fastupdate = off);
