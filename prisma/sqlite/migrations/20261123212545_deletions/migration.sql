-- CreateTable
CREATE TABLE "Deletion" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "state" TEXT NOT NULL,
    "formerKey" TEXT,
    "pseudonym" TEXT,
    "createdAt" DATETIME NOT NULL
);

-- Words of memories that are deleted leave the full-text index at once: without this they stay in it until it is merged.
INSERT INTO "MemoryIndex" ("MemoryIndex", "rank") VALUES ('secure-delete', 1);
