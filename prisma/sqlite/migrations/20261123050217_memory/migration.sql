-- CreateTable
CREATE TABLE "Memory" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
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
    "createdAt" DATETIME NOT NULL,
    "usedAt" DATETIME NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "helped" INTEGER NOT NULL DEFAULT 0,
    "isPinned" BOOLEAN NOT NULL DEFAULT false,
    "endedAt" DATETIME,
    "endedBy" TEXT,
    "terms" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "MemoryPause" (
    "channelId" TEXT NOT NULL PRIMARY KEY,
    "byId" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "Memory_id_key" ON "Memory"("id");

-- CreateIndex
CREATE INDEX "Memory_scope_idx" ON "Memory"("scope");

-- CreateIndex
CREATE INDEX "Memory_authorId_idx" ON "Memory"("authorId");

-- CreateIndex
CREATE INDEX "Memory_source_position_idx" ON "Memory"("source", "position");

-- The full-text index. Its words come from the program, which stems them: the tokenizer has but to split at spaces.
CREATE VIRTUAL TABLE "MemoryIndex" USING fts5(
    "terms",
    content = 'Memory',
    content_rowid = 'seq',
    detail = 'none',
    columnsize = 0,
    tokenize = 'unicode61 remove_diacritics 0'
);

CREATE TRIGGER "Memory_indexed" AFTER INSERT ON "Memory" BEGIN
    INSERT INTO "MemoryIndex" ("rowid", "terms") VALUES (new."seq", new."terms");
END;

CREATE TRIGGER "Memory_unindexed" AFTER DELETE ON "Memory" BEGIN
    INSERT INTO "MemoryIndex" ("MemoryIndex", "rowid", "terms") VALUES ('delete', old."seq", old."terms");
END;

CREATE TRIGGER "Memory_reindexed" AFTER UPDATE OF "terms" ON "Memory" BEGIN
    INSERT INTO "MemoryIndex" ("MemoryIndex", "rowid", "terms") VALUES ('delete', old."seq", old."terms");
    INSERT INTO "MemoryIndex" ("rowid", "terms") VALUES (new."seq", new."terms");
END;
