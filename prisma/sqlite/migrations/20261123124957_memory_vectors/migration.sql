-- CreateTable
CREATE TABLE "MemoryVector" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "model" TEXT NOT NULL,
    "signs" BLOB NOT NULL,
    "bytes" BLOB NOT NULL,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "MemoryVector_seq_fkey" FOREIGN KEY ("seq") REFERENCES "Memory" ("seq") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "MemoryVector_createdAt_idx" ON "MemoryVector"("createdAt");
