-- AlterTable
ALTER TABLE "Memory" ADD COLUMN "runId" TEXT;

-- CreateTable
CREATE TABLE "MemoryUse" (
    "runId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,

    PRIMARY KEY ("runId", "seq")
);

-- CreateTable
CREATE TABLE "MemoryLesson" (
    "sessionId" TEXT NOT NULL PRIMARY KEY,
    "after" INTEGER NOT NULL,
    "dueAt" DATETIME,
    "isAsked" BOOLEAN NOT NULL DEFAULT false,
    "tries" INTEGER NOT NULL DEFAULT 0
);

-- CreateIndex
CREATE INDEX "MemoryLesson_dueAt_idx" ON "MemoryLesson"("dueAt");

-- CreateIndex
CREATE INDEX "Memory_endedBy_idx" ON "Memory"("endedBy");

-- CreateIndex
CREATE INDEX "Memory_runId_idx" ON "Memory"("runId");
