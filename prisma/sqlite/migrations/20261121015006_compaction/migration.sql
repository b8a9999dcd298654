-- CreateTable
CREATE TABLE "Compaction" (
    "sessionId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "runId" TEXT NOT NULL,
    "evictedResults" INTEGER NOT NULL,
    "summary" TEXT,
    "summarisedMessages" INTEGER NOT NULL,
    "summaryMadeAt" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("sessionId", "number")
);
