-- AlterTable
ALTER TABLE "Memory" ADD COLUMN     "runId" TEXT;

-- CreateTable
CREATE TABLE "MemoryUse" (
    "runId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,

    CONSTRAINT "MemoryUse_pkey" PRIMARY KEY ("runId","seq")
);

-- CreateTable
CREATE TABLE "MemoryLesson" (
    "sessionId" TEXT NOT NULL,
    "after" INTEGER NOT NULL,
    "dueAt" TIMESTAMP(3),
    "isAsked" BOOLEAN NOT NULL DEFAULT false,
    "tries" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "MemoryLesson_pkey" PRIMARY KEY ("sessionId")
);

-- CreateIndex
CREATE INDEX "MemoryLesson_dueAt_idx" ON "MemoryLesson"("dueAt");

-- CreateIndex
CREATE INDEX "Memory_endedBy_idx" ON "Memory"("endedBy");

-- CreateIndex
CREATE INDEX "Memory_runId_idx" ON "Memory"("runId");
