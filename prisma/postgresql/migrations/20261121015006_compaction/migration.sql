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
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Compaction_pkey" PRIMARY KEY ("sessionId","number")
);
